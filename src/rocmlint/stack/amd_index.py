"""AMD's package indexes: which GPUs one has code for, and the builds of torch in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from packaging.version import Version

from rocmlint.stack.simple_index import wheel_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PROJECTS = ("torch", "torchvision", "torchaudio")
_LABEL = re.compile(r"rocm(\d+\.\d+\.\d+)")
"""Of a release; a nightly build has a date in it, a candidate its number."""
_DEVICE = re.compile(r"amd-torch-device-(gfx[0-9a-f]{3,4})/?")
_SYSTEMS = {"linux": "linux", "manylinux": "linux", "win": "windows"}

Row = dict[str, Any]


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
        except OSError as error:
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
    """Return the GPUs with a device package, and the released builds of torch. Raises OSError.

    ``recorded`` are the builds whose torchaudio is known (no wheel says which torch it is for),
    and what AMD's pages list for them.
    """
    known = {(each["rocm"], each["torch"], each["system"]): each for each in recorded}
    links = [unquote(urlsplit(each).path) for each in hrefs(fetch(url))]
    names = (_DEVICE.fullmatch(each.strip("/").rsplit("/", 1)[-1]) for each in links)
    devices = sorted({each[1] for each in names if each}, key=lambda each: (len(each), each))
    files = {name: list(wheels(fetch(f"{url}{name}/"), name)) for name in PROJECTS}
    if not devices or not files["torch"]:
        message = "is not an index of torch with device packages"
        raise OSError(message)
    rows = []
    for rocm, torch, system in sorted({each[:3] for each in files["torch"]}, key=str):
        old = known.get((rocm, torch, system), {})
        audio = old.get("torchaudio") or next(
            (each["torchaudio"] for each in known.values() if each["torch"] == torch), ""
        )
        python = {each[3] for each in files["torch"] if each[:3] == (rocm, torch, system)}
        rows.append(
            {
                "rocm": rocm,
                "torch": torch,
                "torchvision": _companion(files["torchvision"], rocm, system, torch=torch),
                "torchaudio": _companion(files["torchaudio"], rocm, system, wanted=audio),
                "python": " ".join(sorted(python, key=Version)),
                "system": system,
                "listed": old.get("listed", ""),
            }
        )
    return devices, rows


def hrefs(page: str) -> list[str]:
    """Return what the links of a page lead to."""
    reader = _Links()
    reader.feed(page)
    return reader.found


def wheels(page: str, project: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield ROCm, public version, system and Python of each released wheel of a project's page."""
    for each in hrefs(page):
        name = unquote(urlsplit(each).path).rsplit("/", 1)[-1]
        wheel = wheel_of(name) if name.startswith(f"{project}-") else None
        label = _LABEL.fullmatch(wheel.version.local or "") if wheel else None
        if wheel is None or label is None:
            continue
        for tag in wheel.tags:
            system = _SYSTEMS.get(re.split(r"[\d_]", tag.platform, maxsplit=1)[0])
            python = re.fullmatch(r"cp(\d)(\d+)", tag.interpreter)
            if system and python and tag.abi == tag.interpreter:
                yield label[1], wheel.version.public, system, f"{python[1]}.{python[2]}"


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _companion(
    files: Iterable[tuple[str, str, str, str]],
    rocm: str,
    system: str,
    *,
    torch: str = "",
    wanted: str = "",
) -> str:
    """Return the version that is there for a torch: torchvision 0.29 for 2.14; else the newest."""
    there = {each[1] for each in files if (each[0], each[2]) == (rocm, system)}
    if torch:
        minor = Version(torch).minor + 15
        there = {each for each in there if Version(each).release[:2] == (0, minor)}
    if wanted in there:
        return wanted
    return max(there, key=Version, default="")


def _numbers(version: str) -> tuple[int, ...]:
    return Version(version).release
