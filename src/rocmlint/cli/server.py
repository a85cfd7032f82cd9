"""``rocmlint server``: the language server, for editors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.flags import all_flags, attribute, overrides
from rocmlint.cli.parser import Parser, how
from rocmlint.config.settings import OPTIONS
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

_GROUPS = frozenset({"Rules", "Files", "Known findings"})
_FLAGS = (
    *(name for name, each in OPTIONS.items() if each.group in _GROUPS),
    "extend-per-file-ignores",
    "config",
    "isolated",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint server``."""
    parser.add_argument(
        "--stdio", action="store_true", help="use standard input and output (the default)"
    )
    for name in _FLAGS:
        parser.add_argument(f"--{name}", **how(name, all_flags()[name]))


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint server`` until the editor ends it."""
    parser = Parser(
        "server [flags]",
        "Run the language server. Editors start it, and talk to it over standard input and output. "
        "Local rules need --local-rules: opening a directory must not run its code.",
    )
    add_arguments(parser)
    flags = SimpleNamespace(**dict.fromkeys(attribute(name) for name in (*OPTIONS, *_FLAGS)))
    flags.config, flags.isolated = [], False
    flags = parser.parse(arguments, flags)
    try:
        from rocmlint.editors.server.start import start  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        message = "the language server needs the package pygls: pip install 'rocmlint[lsp]'"
        raise RocmlintError(message) from error
    options = {"local-rules": False, **overrides(flags)}
    return start(options, config=flags.config, isolated=flags.isolated)
