"""Text: lines, positions, comments, words, and what is safe to print."""
