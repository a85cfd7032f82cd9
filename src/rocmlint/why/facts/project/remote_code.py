"""Which transformers a model's own code was saved with, by config.json in the cache of the hub."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.why.facts.context import Context

_MODULES = re.compile(r"^(?P<home>.*)[/\\]modules[/\\]transformers_modules[/\\](?P<rest>.+)$")
_LARGEST = 1_000_000
_MOST_SNAPSHOTS = 20


def saved_with(context: Context) -> Version | None:
    """Return the transformers_version of the innermost model whose code is in the frames.

    None where its config.json is not on this machine, or says several.
    """
    for frame in reversed(context.frames):
        found = _MODULES.match(frame.file)
        if found is None:
            continue
        paths = list(_configurations(found["home"], re.split(r"[/\\]", found["rest"])))
        versions = {version for path in paths if (version := _version_in(path)) is not None}
        if len(versions) != 1:
            return None
        (version,) = versions
        context.saw("transformers_version of the model", version, paths[0])
        return version
    return None


def _configurations(home: str, parts: list[str]) -> Iterator[str]:
    """Yield config.json of a model in the cache of the hub: of the code's revision, else of all."""
    if len(parts) < 4:  # owner, model, revision, file
        return
    owner, model, revision = (each.replace("_hyphen_", "-") for each in parts[:3])
    folder = os.path.join(home, "hub", f"models--{owner}--{model}", "snapshots")
    try:
        revisions = sorted(os.listdir(folder))[:_MOST_SNAPSHOTS]
    except OSError:
        return
    for each in [revision] if revision in revisions else revisions:
        yield os.path.join(folder, each, "config.json")


def _version_in(path: str) -> Version | None:
    try:
        written = json.loads(read_small(path, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    text = written.get("transformers_version") if isinstance(written, dict) else None
    return version_of(text) if isinstance(text, str) else None
