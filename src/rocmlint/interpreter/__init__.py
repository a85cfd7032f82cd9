"""Asking another Python: what runs there, and how it is started."""
