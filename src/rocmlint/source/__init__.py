"""One file as a rule sees it: text, tree and names."""
