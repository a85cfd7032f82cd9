"""Formats in which projects declare requirements."""
