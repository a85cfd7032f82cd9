"""The machine as files show it, or as a report of ``rocm examine --json`` does."""
