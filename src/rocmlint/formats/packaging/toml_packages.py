"""Packages that are the keys of a TOML table, as Pipenv and pixi write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.formats.model import Declared
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from rocmlint.formats.readers.excerpt import Excerpt
    from rocmlint.formats.readers.toml import Value

_LOCATIONS = ("git", "url", "file")


def package(name: str, value: Value, key: Excerpt, group: str) -> Declared | Excerpt | None:
    """Read a package and its version, or the table with it; ``key`` is where the name stands.

    A path declares nothing; what is not a valid version is given back.
    """
    version = value if value.text is not None else value.table.get("version")
    extras = value.table.get("extras")
    names = ",".join(each.text or "" for each in extras.items()) if extras is not None else ""
    urls = [each.text for each in map(value.table.get, _LOCATIONS) if each is not None]
    if value.table.get("path") is not None:
        return None
    place = key if version is None or not version.excerpt.text else version.excerpt
    written = "" if version is None or version.text in (None, "*") else version.text or ""
    text = f"{name}[{names}]{written}" if names else f"{name}{written}"
    if urls:
        text = f"{name} @ {urls[0]}"
    if requirement_of(text) is None:
        return place
    return Declared(text, canonicalize_name(name), place.span(), group)
