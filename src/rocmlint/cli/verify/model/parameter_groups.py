"""``rocmlint verify model parameter-groups``: which group each parameter is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of
from rocmlint.cli.verify.model.common import add_model_arguments, asking_of
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError
from rocmlint.verify.model.parameter_groups import ParameterGroup, check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY [--group NAME=PATTERN[,PATTERN] ...] [--frozen NAME ...]",
    "Check that each parameter is in exactly one group, that no group is frozen by mistake, and "
    "that the optimizer of the factory holds each trained parameter once.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model parameter-groups``."""
    add_model_arguments(parser)
    parser.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="NAME=PATTERN[,PATTERN]",
        help="a group: modules (model.visual) or patterns (*.merger.*) of its parameters; can be "
        "repeated (default: the groups of the optimizer)",
    )
    parser.add_argument(
        "--frozen",
        action="append",
        default=[],
        metavar="NAME",
        help="a group that is frozen on purpose; can be repeated",
    )


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model parameter-groups``."""
    groups = [_group(each) for each in flags.group]
    names = [each.name for each in groups]
    for each in flags.frozen:
        if groups and each not in names:
            message = f"--frozen {each}: no group of this name{did_you_mean(each, names)}"
            raise ConfigError(message)
    for each in names:
        if names.count(each) > 1:
            message = f"--group {each}: named twice; separate its patterns with commas"
            raise ConfigError(message)
    return finish(check(asking_of(flags), groups, flags.frozen), flags)


def _group(text: str) -> ParameterGroup:
    name, _, patterns = text.partition("=")
    wanted = tuple(each.strip() for each in patterns.split(",") if each.strip())
    if not name or not wanted:
        message = f"--group {text}: must be NAME=PATTERN, for example vision=model.visual"
        raise ConfigError(message)
    return ParameterGroup(name, wanted)
