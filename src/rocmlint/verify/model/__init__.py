"""Judging what a model, its processor and its training step do, from what they did when asked."""
