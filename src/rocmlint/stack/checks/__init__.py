"""Each file compares one kind of installed thing with what it needs, and yields verdicts."""
