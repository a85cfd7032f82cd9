"""From paths to the files that are linted."""
