"""Facts from git about a project: commits, the files of one, renames. Only reads, runs no hook."""
