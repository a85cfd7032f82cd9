"""URLs of users as they may be printed and written: without names, passwords and tokens."""

from __future__ import annotations

import re
import urllib.parse

from rocmlint.text.visible import visible

_NOT_SHOWN = re.compile(r"[?#].*", re.DOTALL)
_LOGIN = re.compile(
    r"(?<=://)(?!git@|\$\{)(?:[^\s/?#@:]*@|[^\s/?#@]*:(?!\d+(?:[/?#\s]|$))[^\s@]*@)"
)
"""A name, a name and a password, also one with a slash in it; not ``git@``, which opens nothing,
nor ``${NAME}``, which pip replaces."""
_QUERY = re.compile(r"(?<=://)([^\s?#]*)\?[^\s#'\"]*")


def without_password(url: str) -> str:
    """Return an address as it may be printed, also one whose password was written wrongly.

    What follows ``?`` or ``#`` can be as secret, and is left out.
    """
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return "an invalid URL"
    behind = f"{parts.path}?{parts.query}#{parts.fragment}"
    if "@" in behind:  # as of https://me:pass#word@host/
        return visible(f"{parts.scheme}://***@{_NOT_SHOWN.sub('', behind.rpartition('@')[2])}")
    host = parts.netloc.rpartition("@")[2]
    return visible(parts._replace(netloc=host, query="", fragment="").geturl())


def without_passwords(text: str) -> str:
    """Return a text, such as a requirement, without what opens the addresses in it.

    What follows ``?`` is left out too; a fragment stays, as pip reads it.
    """
    return _QUERY.sub(r"\1", _LOGIN.sub("", text)) if "://" in text else text
