"""The command: one file a verb; without a verb it is ``check``."""
