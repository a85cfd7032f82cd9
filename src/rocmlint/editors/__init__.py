"""Where editors and other linters show what rocmlint finds."""
