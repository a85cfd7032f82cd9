"""Variables that an image, a service or a job hands to a program that installs torch with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import Role, has_role
from rocmlint.formats.scripts.handed_on import is_install

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import File, Setting

VARIABLES = ("TORCH_COMMAND", "TORCH_INDEX_URL")
"""Of the web UIs: a command, and the index that their own command takes torch from."""


def handed_on(setting: Setting, file: File) -> Iterator[tuple[str, list[Requirement]]]:
    """Yield the indexes in the value of a variable, each with the requirements of torch beside it.

    What the file itself uses counts where it does.
    """
    if setting.name not in VARIABLES or not has_role(file.path, Role.PASSES_VARIABLES):
        return
    value = setting.value
    if (
        value is None
        or not value.known
        or re.search(rf"\$\{{?{re.escape(setting.name)}\b", file.text)
    ):
        return
    if is_install(value.text):
        yield from asked_in(value.text)
    else:
        yield value.text, []


def asked_in(text: str) -> Iterator[tuple[str, list[Requirement]]]:
    """Yield the indexes that the commands in a text ask, each with what they take of torch."""
    if not is_install(text):
        return
    from rocmlint.formats.scripts.shell.script import parse  # noqa: PLC0415 - few files have a command
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    for _, install in installs_of(parse(text).commands):
        pins = [
            each.requirement
            for each in install.requirements
            if each.name == "torch" and each.requirement is not None
        ]
        for index in install.indexes:
            yield index.url, pins if len(install.indexes) == 1 else []
