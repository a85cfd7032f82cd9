"""What git knows of a project: commits, the files of one, renames. Only reads, and runs no hook."""
