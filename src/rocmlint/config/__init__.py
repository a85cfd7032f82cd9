"""Settings: the table of options, the files that set them, and how they are combined."""
