"""What a log says: its lines without prefixes, its exceptions with their frames and ranks."""
