"""Variables that an image, a service or a job hands to a program that installs torch with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import Role, has_role
from rocmlint.formats.scripts.handed_on import is_install
from rocmlint.formats.scripts.shell.script import parse
from rocmlint.rule import installs_of

from .words import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import File, Setting


def handed_on(setting: Setting, file: File) -> Iterator[tuple[str, list[Requirement]]]:
    """Yield the indexes in the value of a variable, each with the requirements of torch beside it.

    What the file itself uses counts where it does.
    """
    name, value = setting.name, setting.value
    if name not in VARIABLES or not has_role(file.path, Role.PASSES_VARIABLES):
        return
    is_used = re.search(rf"\$\{{?{re.escape(name)}\b", file.text)
    if value is None or not value.known or is_used:
        return
    if is_install(value.text):
        yield from asked_in(value.text)
    else:
        yield value.text, []


def asked_in(text: str) -> Iterator[tuple[str, list[Requirement]]]:
    """Yield the indexes that the commands in a text ask, each with what they take of torch."""
    if not is_install(text):
        return
    for _, install in installs_of(parse(text).commands):
        pins = install.required("torch")
        for index in install.indexes:
            yield index.url, pins if len(install.indexes) == 1 else []
