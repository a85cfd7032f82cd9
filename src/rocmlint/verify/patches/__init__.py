"""Files on disk: those that an import would execute, and those of a wheel; nothing is imported."""
