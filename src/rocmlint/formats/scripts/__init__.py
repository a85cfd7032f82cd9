"""Formats that run commands: shell scripts, recipes, scripts of Windows."""
