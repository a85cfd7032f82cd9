"""Names of packages: which a file uses, and which a version of the package has."""
