"""What the source of a loaded module says."""
