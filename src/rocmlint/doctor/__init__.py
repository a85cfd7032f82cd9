"""One page about a machine, an environment and a project: what is wrong, and what to do first."""
