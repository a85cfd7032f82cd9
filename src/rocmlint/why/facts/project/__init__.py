"""Facts about the code and the settings of a project."""
