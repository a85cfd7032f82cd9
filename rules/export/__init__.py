"""ROC8: what breaks torch.export: control flow on tensors, torch.cond, caches, patches."""
