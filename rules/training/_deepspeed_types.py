"""Which values a setting of DeepSpeed takes, by the type that its class declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import Entry

AUTO = "auto"
"""What DeepSpeed leaves out, and the Trainer fills in."""
_SAID = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "dict": "a mapping",
    "list": "a list",
}
_BOOLEANS = compile_lazily(r"(?i)true|false|yes|no|on|off|[tfyn01]")
_INTEGERS = compile_lazily(r"\s*[-+]?\d+(?:_\d+)*(?:\.0*)?\s*")
_CHOICES = "one of: "


def taken_by(kind: str) -> str:
    """Return what a type takes, as a message says it."""
    kind = kind.removesuffix("?")
    return _SAID.get(kind, kind if kind.startswith(_CHOICES) else _SAID["dict"])


def fits(setting: Entry, kind: str) -> bool:
    """Check whether a type takes the value of a setting, or might.

    A list may be what the autotuner or a sweep chooses from.
    """
    if setting.kind in {"unknown", "list"} or setting.text == AUTO or kind.startswith("any"):
        return True
    if setting.kind == "null":
        return kind.endswith("?")
    kind = kind.removesuffix("?")
    if kind.startswith(_CHOICES):
        choices = kind.removeprefix(_CHOICES).split(", ")
        return setting.kind == "bool" or _plain(setting.text) in choices
    if kind not in _SAID or kind in {"dict", "list"}:
        return setting.kind == "dict" and kind != "list"
    return setting.kind != "dict" and _fits_scalar(setting, kind)


def _plain(text: str) -> str:
    """Return a choice without what a number may have behind it."""
    return text.removesuffix(".0")


def _fits_scalar(setting: Entry, kind: str) -> bool:
    text = setting.text
    if kind == "str":
        return True
    if kind == "bool":
        return _BOOLEANS.fullmatch(_plain(text)) is not None
    if setting.kind == "bool":
        return True
    if kind == "int" and setting.kind == "str":
        return _INTEGERS.fullmatch(text) is not None
    try:
        number = float(text.replace("_", "").replace(" ", ""))
    except ValueError:
        return setting.kind != "str"
    return kind == "float" or number.is_integer()
