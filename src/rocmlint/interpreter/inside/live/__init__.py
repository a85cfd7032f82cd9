"""What the code of loaded modules is made of, compared with their sources."""
