"""Control flow that depends on tensors, rewritten in the text of a file for ``torch.export``."""
