"""What the packages around a module do, when they are imported, to where it is looked for."""
