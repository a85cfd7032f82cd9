"""``rocmlint stack``: chooses what is asked of the stack."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rocmlint.cli.stack.ages import about_tables
from rocmlint.cli.verbs import run_group
from rocmlint.errors import RocmlintError
from rocmlint.published import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "show": "show which ROCm, GPUs, torch and libraries are installed and compatible",
    "index-url": "print the package index with torch wheels for a ROCm version",
    "install-command": "print the command that installs torch for a ROCm version",
    "compatible": "find the newest libraries that are compatible with a torch version",
    "plan": "plan an upgrade to another ROCm version, and check it",
    "freeze": "record the installed packages before an install",
    "survived": "compare the installed packages with the record after an install",
    "update": "fetch newer tables of releases and wheels from the package indexes",
}
"""Each is a module of this package (``-`` is ``_``), a :class:`rocmlint.cli.verbs.Verb`."""
_WRONG = 2
"""The exit code of all errors."""
_ABOUT = "Report which ROCm, PyTorch and library versions are installed and compatible."


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint stack``. Raises RocmlintError for an unknown verb.

    Its verbs use tables that ``rocmlint stack update`` fetched, and say so; linting never does.
    Where JSON was asked for, an error is a document, too.
    """
    tables.prefer_fetched()
    try:
        code = run_group("stack", _ABOUT, VERBS, __name__, arguments, default="show")
    except RocmlintError as error:
        if _wants_json(arguments):
            from rocmlint.cli.stack.common import print_document  # noqa: PLC0415 - only mistakes

            verb = "show" if arguments[0].startswith("-") else arguments[0]
            print_document(verb, _WRONG, error=str(error))
        raise
    notes = tuple(about_tables(tables.used())) if arguments[:1] != ["update"] else ()
    if notes:
        from rocmlint.cli.stack.chosen import tell  # noqa: PLC0415 - few answers have any

        tell(notes)
    return code


def _wants_json(arguments: Sequence[str]) -> bool:
    flag = "--output-format"
    return f"{flag}=json" in arguments or (flag, "json") in pairwise(arguments)
