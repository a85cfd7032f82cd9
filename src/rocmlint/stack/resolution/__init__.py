"""Releases compatible with a torch: the question, who answers it, and why there is no newer one."""
