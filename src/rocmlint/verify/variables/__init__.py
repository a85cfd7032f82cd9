"""Environment variables: which installed file reads each one, and what it makes of its value."""
