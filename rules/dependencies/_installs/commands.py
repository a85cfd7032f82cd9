"""What the rules on installs share: the tools whose commands they look at."""

from __future__ import annotations


def _written(*tools: str) -> tuple[str, ...]:
    """Return how tools stand in commands: as a word of a shell, or as a string of a list.

    Their names alone stand in most files: "pip" begins "pipeline".
    """
    return tuple(f"{tool}{end}" for tool in tools for end in (" ", "\t", '"', "'"))


PIP_AND_UV = (*_written("pip", "pip3", "uv"), "pip.", "pip3.", "import nox", "from nox")
TOOLS = (*PIP_AND_UV, *_written("conda", "mamba", "poetry", "pdm"))
"""One of these stands in every file with a command that installs packages."""
