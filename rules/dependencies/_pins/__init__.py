"""Pins: whether the requirements of a project can be met together."""
