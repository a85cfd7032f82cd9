"""ROC6: images, vision tokens, rotary positions."""
