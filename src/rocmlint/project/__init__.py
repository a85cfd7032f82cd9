"""What the files around a file declare, and which packages are installed."""
