"""From claims of code to verdicts: each kind by the check that is made for it."""
