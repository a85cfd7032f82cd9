"""Live code: judging what a process, or this program, is made of."""
