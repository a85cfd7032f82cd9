"""Differences between a process and the source of a module."""
