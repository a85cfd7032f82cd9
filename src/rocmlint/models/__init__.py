"""What the source of a model does: its tensors, its control flow, and classes that patch it."""
