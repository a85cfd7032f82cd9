"""Documents: people read them, and copy the commands of their code blocks."""
