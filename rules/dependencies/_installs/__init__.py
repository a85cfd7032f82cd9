"""Installs: what they ask for, where they run, and what they do to a ROCm torch."""
