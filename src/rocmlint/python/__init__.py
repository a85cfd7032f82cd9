"""Python source: names, imports and scopes of a syntax tree, by the standard library."""
