"""The built-in rules: one folder a family, one file a rule."""
