"""Proving what runs: the patched files, the live code and the kernels of an interpreter.

The flow is one way: a check asks ``inside`` (code that runs in the user's interpreter, in a child
process) what is there, judges the answer here, and gives results; a report prints them. Nothing
here is imported by linting.
"""
