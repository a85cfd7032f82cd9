"""The real job: a witness in each of its processes, and all its ranks against the manifest."""
