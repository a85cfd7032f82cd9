"""How an import finds a file, and what it runs of it."""
