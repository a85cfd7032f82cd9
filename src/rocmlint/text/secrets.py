"""Text without the credentials of the URLs in it, so that it may be printed and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    import re
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


def without_credentials(text: str) -> str:
    """Mask the user, password and token of every URL in a text."""
    return _masked(text, lambda found: f"{found['kept']}{MASK}")


def with_starred_credentials(text: str) -> str:
    """Mask them with as many characters, so that columns in a line stay where they are."""
    return _masked(text, lambda found: f"{found['kept']:*<{len(found[0])}}")


def _masked(text: str, mask: Callable[[re.Match[str]], str]) -> str:
    if ":/" not in text and ":\\/" not in text:
        return text
    return _PARAMETER.sub(mask, _LOGIN.sub(mask, text))
