"""What a rule is, what it looks at, and how rules are found."""
