"""The source of a loaded module: its names, events and forms."""
