"""``--constraints FILE``: the torch that is installed, written where pip and uv obey it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.stack.advice.keeping import constraints_of, write_constraints

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

    from rocmlint.stack.installed.distributions import Environment


def add_constraints_arguments(parser: ArgumentParser) -> None:
    """Add the file, and whether it may replace another one."""
    parser.add_argument(
        "--constraints",
        metavar="FILE",
        help="write exact pins of torch and what belongs to it, for pip install -c",
    )
    parser.add_argument(
        "--force", action="store_true", help="let --constraints overwrite any existing file"
    )


def write_asked(flags: SimpleNamespace, environment: Environment | None) -> None:
    """Write the torch of an environment, if that was asked for. Raises RocmlintError."""
    lines = constraints_of(environment) if environment is not None and flags.constraints else []
    where = environment.executable if environment is not None else "no interpreter was asked"
    write_lines(flags, lines, where)


def write_lines(flags: SimpleNamespace, lines: Sequence[str], of: str) -> None:
    """Write constraints, if asked for; ``of`` is whose torch it is. Raises RocmlintError."""
    if not flags.constraints:
        if flags.force:
            message = "--force requires --constraints FILE"
            raise ConfigError(message)
        return
    if not any(each.startswith("torch==") for each in lines):
        message = f"{of}: no torch to pin; name the interpreter of the job with --python"
        raise RocmlintError(message)
    write_constraints(lines, f"the torch of {of}", flags.constraints, force=flags.force)
