"""Readers of whole classes of errors, for any package: missing names, arguments, versions."""
