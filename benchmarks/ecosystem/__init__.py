"""What a change of rocmlint means for real code: lint a pinned corpus with two versions of it."""
