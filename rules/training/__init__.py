"""ROC5: synchronisation, memory, gradients in training loops."""
