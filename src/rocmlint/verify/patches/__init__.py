"""Files on disk: which an import would execute, and which a wheel brought; nothing is imported."""
