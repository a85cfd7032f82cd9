"""Patched classes: what a patch replaces, and whether it still fits what it replaces.

Everything is read from sources with :mod:`ast`; neither the patch nor the library is imported.
"""
