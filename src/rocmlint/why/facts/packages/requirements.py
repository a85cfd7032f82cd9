"""Requirements of installed distributions, from their METADATA."""

from __future__ import annotations

import os
import re
from email.parser import HeaderParser
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.text.written import holds, requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.metadata import Installed

_LARGEST = 2_000_000


def required_by(installed: Installed, name: str = "") -> Iterator[Requirement]:
    """Yield what a distribution requires without extras: all, or of one other distribution."""
    try:
        text = read_small(os.path.join(installed.record, "METADATA"), _LARGEST)
    except (OSError, ValueError):
        return
    pattern = re.escape(name).replace(r"\-", "[-_.]+")
    if name and not re.search(rf"(?im)^Requires-Dist: {pattern}".encode(), text):
        return  # few packages ask for one, and to parse the headers of all takes long
    written = re.compile(pattern, re.IGNORECASE)
    headers = HeaderParser().parsestr(text.decode("utf-8", "replace"), headersonly=True)
    for line in headers.get_all("Requires-Dist") or ():
        found = requirement_of(line) if written.match(line) else None
        if found is not None and holds(found.marker, {"extra": ""}):
            yield found


def demands_on(context: Context, name: str) -> Iterator[tuple[Installed, Requirement]]:
    """Yield the installed distributions that require another one, and what they require."""
    wanted = canonicalize_name(name)
    for each in context.packages.names:
        installed = context.packages.get(each)
        for asked in required_by(installed, wanted) if installed is not None else ():
            if canonicalize_name(asked.name) == wanted and installed is not None:
                yield installed, asked
