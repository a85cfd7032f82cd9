"""Facts about this machine, its packages and a project, each read when a symptom needs it."""
