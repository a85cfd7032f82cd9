"""What earlier runs found, kept by content."""
