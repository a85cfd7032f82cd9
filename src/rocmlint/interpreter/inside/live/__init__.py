"""The code of loaded modules, compared with their sources."""
