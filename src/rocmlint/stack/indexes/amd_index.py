"""AMD's package indexes: which GPUs one has code for, and the builds of torch in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.stack.indexes.fetch import FetchError
from rocmlint.stack.indexes.simple_index import last_part, links_of, wheel_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PROJECTS = ("torch", "torchvision", "torchaudio")
_LABEL = re.compile(r"rocm(\d+\.\d+\.\d+)")
"""Of a release; a nightly build has a date in it, a candidate its number."""
_DEVICE = re.compile(r"amd-torch-device-(gfx[0-9a-f]{3,4})")
_MOST_BUILDS = 1_000
"""Of a project, for a ROCm and a system each: an index has a hundred."""
_SYSTEMS = {"linux": "linux", "manylinux": "linux", "win": "windows"}

_SCHEMES = ("https://", "http://")

Row = dict[str, Any]
_Builds = dict[tuple[str, str, str], set[str]]
"""The Pythons of each ROCm, public version and system."""


def refreshed(data: Row, fetch: Callable[[str], str], today: str) -> tuple[Row, list[str]]:
    """Return the table with what the indexes have now, and what could not be read, a line each.

    What an index lists takes the place of what is known of it; one that cannot be read stays as it
    was. ``fetch`` gives the page at an address; it raises OSError where there is none.
    """
    sources, builds = dict(data["sources"]), list(data["builds"])
    indexes = [dict(each) for each in data["indexes"]]
    problems = []
    for index in indexes:
        if index["kind"] != "extra" or index["name"] == "nightly":
            continue
        try:
            devices, found = read_index(index["url"], fetch, builds)
        except (OSError, FetchError) as error:
            problems.append(f"{index['url']}: {error}")
            continue
        name = f"read-{index['name']}"
        sources[name] = {"url": index["url"], "date": today}
        index.update(devices=" ".join(devices), sources=[name])
        kept = [each for each in builds if each["index"] != index["name"]]
        builds = [*kept, *({**each, "index": index["name"], "sources": [name]} for each in found)]
    builds.sort(key=lambda each: (_numbers(each["rocm"]), _numbers(each["torch"]), each["system"]))
    as_of = max(sources[name]["date"] for each in builds for name in each["sources"])
    new = {"as_of": as_of, "sources": sources, "indexes": indexes, "builds": builds}
    return {**data, **new}, problems


def read_index(
    url: str, fetch: Callable[[str], str], recorded: Iterable[Row]
) -> tuple[list[str], list[Row]]:
    """Return the GPUs with a device package, and the released builds of torch.

    ``recorded`` are the builds whose torchaudio is known (no wheel says which torch it is for),
    and what AMD's pages list for them. Raises OSError and FetchError.
    """
    known = {(each["rocm"], each["torch"], each["system"]): each for each in recorded}
    names = (_DEVICE.fullmatch(each) for each in _projects(fetch(url), url))
    devices = sorted({each[1] for each in names if each}, key=lambda each: (len(each), each))
    files = {name: _builds(fetch(f"{url}{name}/"), f"{url}{name}/", name) for name in PROJECTS}
    if not devices or not files["torch"]:
        message = "is not an index of torch with device packages"
        raise OSError(message)
    rows = []
    for build in sorted(files["torch"]):
        rocm, torch, system = build
        old = known.get(build, {})
        audio = old.get("torchaudio") or next(
            (each["torchaudio"] for each in known.values() if each["torch"] == torch), ""
        )
        rows.append(
            {
                "rocm": rocm,
                "torch": torch,
                "torchvision": _companion(files["torchvision"], rocm, system, torch=torch),
                "torchaudio": _companion(files["torchaudio"], rocm, system, wanted=audio),
                "python": " ".join(sorted(files["torch"][build], key=Version)),
                "system": system,
                "listed": old.get("listed", ""),
            }
        )
    return devices, rows


def wheels(page: str, url: str, project: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield ROCm, public version, system and Python of each released wheel of a project's page."""
    for to, _ in links_of(page, url):
        name = last_part(to) if to.startswith(_SCHEMES) else ""
        is_of_project = canonicalize_name(name.partition("-")[0]) == project
        wheel = wheel_of(name) if is_of_project else None
        label = _LABEL.fullmatch(wheel.version.local or "") if wheel else None
        if wheel is None or label is None:
            continue
        for tag in wheel.tags:
            system = _SYSTEMS.get(re.split(r"[\d_]", tag.platform, maxsplit=1)[0])
            python = re.fullmatch(r"cp(\d)(\d+)", tag.interpreter)
            if system and python and tag.abi == tag.interpreter:
                yield label[1], wheel.version.public, system, f"{python[1]}.{python[2]}"


def _projects(page: str, url: str) -> Iterator[str]:
    """Yield the normalized names of the projects that an index lists, on its own server."""
    server = urlsplit(url)[:2]
    for to, _ in links_of(page, url):
        parts = urlsplit(to)
        if parts[:2] == server:
            yield canonicalize_name(last_part(parts.path.rstrip("/")))


def _builds(page: str, url: str, project: str) -> _Builds:
    """Return the Pythons of each build. Raises FetchError where there are too many builds."""
    found: _Builds = {}
    for rocm, version, system, python in wheels(page, url, project):
        found.setdefault((rocm, version, system), set()).add(python)
        if len(found) > _MOST_BUILDS:
            message = f"{project}/ lists more than {_MOST_BUILDS} builds"
            raise FetchError(message)
    return found


def _companion(
    builds: _Builds,
    rocm: str,
    system: str,
    *,
    torch: str = "",
    wanted: str = "",
) -> str:
    """Return the version that is there for a torch: torchvision 0.29 for 2.14; else the newest."""
    there = {each[1] for each in builds if (each[0], each[2]) == (rocm, system)}
    if torch:
        minor = Version(torch).minor + 15
        there = {each for each in there if Version(each).release[:2] == (0, minor)}
    if wanted in there:
        return wanted
    return max(there, key=Version, default="")


def _numbers(version: str) -> tuple[int, ...]:
    return Version(version).release
