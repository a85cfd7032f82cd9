"""What a configuration of DeepSpeed may hold, in its published releases.

The data were read from the sources of some releases (tools/build_deepspeed.py).
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.published.deepspeed_sources import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packaging.version import Version

    from rocmlint.published.deepspeed_sources import Model

PATH = os.path.join(os.path.dirname(__file__), "data", "deepspeed.json")


@dataclass(frozen=True)
class KnownSettings:
    """What a release knows: the settings at the top, and the types of those in its classes."""

    keys: frozenset[str]
    classes: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, model: Model) -> KnownSettings:
        """Take what was read from the sources."""
        return cls(frozenset(model["keys"]), model["classes"])

    def section(self, name: str) -> Mapping[str, str] | None:
        """Return the settings of a section at the top; None if it takes whatever it is given."""
        return self.classes.get(SECTIONS.get(name, ""))


@functools.cache
def _data() -> Any:
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def releases() -> Mapping[Version, KnownSettings]:
    """Return what each release that was read knows, the oldest first."""
    from packaging.version import Version  # noqa: PLC0415 - few runs come here

    found = {Version(name): KnownSettings.of(model) for name, model in _data()["releases"].items()}
    return dict(sorted(found.items()))


@functools.cache
def words() -> frozenset[str]:
    """Return what the sources of any release name as they name settings."""
    return frozenset(_data()["words"])


def known_to(version: Version) -> tuple[KnownSettings, ...]:
    """Return what may be known to a version: what the releases on either side of it know.

    Nothing is told of versions that are older than all that were read.
    """
    before = [settings for release, settings in releases().items() if release <= version]
    after = [settings for release, settings in releases().items() if release >= version]
    return tuple(before[-1:] + after[:1]) if before else ()
