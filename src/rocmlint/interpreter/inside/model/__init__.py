"""Checks of a model, its processor and its training step: one module a check, each can be asked."""
