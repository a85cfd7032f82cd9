"""ROC7: Trainer contracts, configuration, logging."""
