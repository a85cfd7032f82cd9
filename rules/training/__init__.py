"""ROC5: synchronization, memory, gradients in training loops."""
