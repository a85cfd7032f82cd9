"""Text without the credentials of the URLs in it, so that it may be printed and written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Callable

MASK = "***"
_REFERENCE = r"\$\{\{[^{}\n]{0,200}\}\}"
"""An expression with blanks in it: ``${{ secrets.NAME }}``."""
_LOGIN = compile_lazily(
    # JSON may write a slash as \/. Behind ssh:// a user alone, such as git, is no secret.
    r"(?P<kept>:\\?/\\?/)(?<!ssh://(?=[^\s/?#:@]{0,300}@))"
    rf"(?:(?:{_REFERENCE}|(?!{_REFERENCE})[^\s/?#\"'`\\])*"
    # A slash, ? or # in a password: what follows the colon is no port.
    r"|[^\s/?#\"'`\\:@]{0,300}:(?!\d*(?:[\s/?#\"'`\\]|$))[^\s\"'`\\]{0,300})(?=@)"
)
_PARAMETER = compile_lazily(
    r"(?i)(?P<kept>[?&](?:[\w-]{0,40}(?:token|secret|passw(?:or)?d|signature|credential)|sig|auth"
    r"|(?:api[_-]?|access[_-]?)?key)=)[^\s&#\"'`\\]+"
)
_TOKEN = compile_lazily(r"\b(?:hf_|gh[opsu]_|github_pat_|glpat-|sk-|xox[abp]-|AKIA)[\w-]{12,}")
_SIGNS = ("token", "secret", "passw", "key", "bearer", "hf_", "gh", "glpat", "sk-", "xox", "akia")
_NAMED_SECRET = compile_lazily(
    r"(?P<kept>(?:\b(?:[\w-]{0,60}[_-])?(?i:token|secret|passw(?:or)?d|api[_-]?key|access[_-]?key)"
    r"[\"']?(?:=|: )[\"']?(?:(?i:bearer|basic) )?|\b(?i:bearer) ))(?![<\[(]|None\b|True\b|False\b)"
    r"(?!\d+\b)[^\s\"'&,;<>(){}\[\]]{6,}"
)
_KEEPS_LOGIN = compile_lazily(r"(?:git|\$\{\w+\}(?::\$\{\w+\})?)\Z")
"""``git``, which opens nothing, and ``${NAME}``, which pip replaces."""
_NOT_BLANK = compile_lazily(r"\S")
_QUERY = compile_lazily(r"(?<=://)([^\s?#]*)\?[^\s#'\"]*")
_NOT_SHOWN = compile_lazily(r"[?#].*", re.DOTALL)


def without_credentials(text: str) -> str:
    """Mask the user, password and token of every URL in a text."""
    return _masked(text, lambda found: f"{found['kept']}{MASK}")


def without_tokens(text: str) -> str:
    """Mask what looks like a token or a password in a log: ``HF_TOKEN=...``, ``Bearer ...``."""
    lower = text.lower()
    if not any(each in lower for each in _SIGNS):
        return text
    text = _TOKEN.sub(MASK, text)
    return _NAMED_SECRET.sub(lambda found: f"{found['kept']}{MASK}", text)


def with_starred_credentials(text: str) -> str:
    """Mask them with as many characters, so that columns in a line stay where they are."""
    return _masked(text, lambda found: f"{found['kept']:*<{len(found[0])}}")


def holds_secrets(path: str) -> bool:
    """Return whether variables that a file sets may be secrets: .env files, units of systemd."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.endswith((".env", ".service")) or ".env." in name


def with_starred_values(line: str, start: int = 0, end: int = 0) -> str:
    """Mask all of a line but names before ``=``, and what is from ``start`` to ``end``.

    Columns stay where they are.
    """
    before, shown, after = (line[:start], line[start:end], line[end:]) if end else (line, "", "")
    name, equals, value = before.partition("=")
    name = name if equals else _starred(name)
    return f"{name}{equals}{_starred(value)}{shown}{_starred(after)}"


def _starred(text: str) -> str:
    return _NOT_BLANK.sub("*", text)


def without_logins(text: str) -> str:
    """Drop the logins and queries of URLs, so that what is left can still be installed."""
    if "://" not in text:
        return text
    return _QUERY.sub(r"\1", _LOGIN.sub(_kept, text).replace("://@", "://"))


def without_password(url: str) -> str:
    """Return one URL for a message, also where its password was written wrongly.

    What follows ``?`` or ``#`` can be as secret, and is left out.
    """
    import urllib.parse  # noqa: PLC0415 - linting needs none of it

    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return "an invalid URL"
    behind = f"{parts.path}?{parts.query}#{parts.fragment}"
    if "@" in behind:  # as of https://me:pass#word@host/
        return f"{parts.scheme}://***@{_NOT_SHOWN.sub('', behind.rpartition('@')[2])}"
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()


def _kept(found: re.Match[str]) -> str:
    login = found[0][len(found["kept"]) :]
    return found[0] if _KEEPS_LOGIN.match(login) else found["kept"]


def _masked(text: str, mask: Callable[[re.Match[str]], str]) -> str:
    if ":/" not in text and ":\\/" not in text:
        return text
    return _PARAMETER.sub(mask, _LOGIN.sub(mask, text))
