"""From an error message to its cause: reading a log, the facts of this machine, an answer."""
