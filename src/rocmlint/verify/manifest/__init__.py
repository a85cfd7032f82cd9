"""Manifests: which files and functions must be the ones that run."""
