"""Changing files: fixes, comments that hide findings, and writing them back."""
