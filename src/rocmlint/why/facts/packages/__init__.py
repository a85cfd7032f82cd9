"""Facts about installed and published packages."""
