"""Classes that torch.export takes apart into tensors: caches, outputs, their registration."""
