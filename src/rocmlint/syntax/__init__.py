"""Python's syntax: parsing no more than is needed, names, positions, and looking at nodes."""
