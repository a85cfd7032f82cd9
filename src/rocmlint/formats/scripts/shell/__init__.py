"""Shell scripts: words, variables, and the commands that run."""
