"""Formats that build an image or start a container."""
