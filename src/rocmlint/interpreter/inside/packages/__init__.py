"""Installed packages: their records, and whether their files are still theirs."""
