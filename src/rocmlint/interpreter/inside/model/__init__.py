"""What a model, its processor and its training step do: one module a check, each can be asked."""
