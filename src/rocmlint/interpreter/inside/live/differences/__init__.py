"""What a process has otherwise than the source of a module gives it."""
