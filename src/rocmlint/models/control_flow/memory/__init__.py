"""Which memory values share, and who writes to it: what a clone of a result would lose."""
