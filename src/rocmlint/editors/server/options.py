"""What the editor sets: options of the configuration, laid over the files of the project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rocmlint.config.settings import OPTIONS
from rocmlint.editors.server.messages import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_LAID_OVER = frozenset({"extend", "verify", "cache-dir", "rules", "local-rules"})
_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def laid_over(given: Options, sent: object, *, start: bool = False) -> Options:
    """Return the options of the command with those that the editor has sent over them.

    Keys are spelt as in ``[tool.rocmlint]`` or in camel case; others, which may be for the editor
    itself, are left alone. Local rules run code: only at the ``start`` may they be allowed, which
    is what the user's own settings decide, while later a project may answer; to forbid them is
    possible always.
    """
    if not isinstance(sent, dict):
        return given
    settings = {_kebab(key): value for key, value in sent.items() if isinstance(key, str)}
    inner = settings.get("settings")
    if isinstance(inner, dict):
        return laid_over(given, inner, start=start)
    over = {**given.over, **_known(settings)}
    local = settings.get("local-rules")
    if local is False or (local is True and start):
        over["local-rules"] = local
    config = settings.get("config")
    return Options(
        over,
        (config,) if isinstance(config, str) and config else given.config,
        bool(settings.get("isolated", given.isolated)),
    )


def is_enabled(sent: object) -> bool:
    """Return whether the editor wants findings at all."""
    return not (isinstance(sent, dict) and sent.get("enable") is False)


def _known(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in settings.items()
        if key in OPTIONS and key not in _NOT_LAID_OVER and value is not None
    }


def _kebab(key: str) -> str:
    return _CAPITAL.sub(lambda match: f"-{match[0].lower()}", key)
