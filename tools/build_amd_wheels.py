"""Builds the data of rocmlint.published.amd_wheels: AMD's indexes, their torch, and the GPUs.

What is not on an index (families, products, other packages, what AMD's pages list) comes from
``tools/data/amd_wheels.toml``, where each fact has a public page and its date. The builds of torch
and the GPUs with a device package are read from the indexes themselves (PEP 503), and recorded in
that file for where they cannot be reached.

    python -m tools.build_amd_wheels            # reads AMD's indexes where they answer
    python -m tools.build_amd_wheels --offline  # the recorded facts only
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import urllib.request
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

RECORDED = Path(__file__).parent / "data" / "amd_wheels.toml"
OUTPUT = Path(__file__).parents[1] / "src/rocmlint/published/data/amd_wheels.json"
PROJECTS = ("torch", "torchvision", "torchaudio")
TIMEOUT = 20.0
_LABEL = re.compile(r"rocm(\d+\.\d+\.\d+)")
"""Of a release; a nightly build has a date in it, a candidate its number."""
_DEVICE = re.compile(r"amd-torch-device-(gfx[0-9a-f]{3,4})/?")
_SYSTEMS = {"linux": "linux", "manylinux": "linux", "win": "windows"}

Row = dict[str, Any]


def main() -> None:
    """Write the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--offline", action="store_true", help="ask no index")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    flags = parser.parse_args()
    today = datetime.now(timezone.utc).date().isoformat()
    fetch = None if flags.offline else fetched
    data = table(recorded_facts(), fetch, today)
    flags.output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def recorded_facts() -> Row:
    """Return what was recorded from public pages."""
    return tomllib.loads(RECORDED.read_text(encoding="utf-8"))


def table(recorded: Row, fetch: Callable[[str], str] | None, today: str) -> Row:
    """Return the data: what the indexes have where ``fetch`` reaches them, else what is recorded.

    ``fetch`` gives the page at an address; it raises OSError where there is none.
    """
    sources = {
        name: {"url": each["url"], "date": str(each["date"])}
        for name, each in recorded["sources"].items()
    }
    indexes = [dict(each) for each in recorded["index"]]
    builds = [row for each in recorded["build"] for row in by_system(each)]
    for index in indexes:
        if fetch is None or index["kind"] != "extra" or index["name"] == "nightly":
            continue
        try:
            devices, found = read_index(index["url"], fetch, builds)
        except OSError as error:
            print(f"{index['url']}: {error}; the recorded facts are used", file=sys.stderr)
            continue
        name = f"read-{index['name']}"
        sources[name] = {"url": index["url"], "date": today}
        index.update(devices=" ".join(devices), sources=[name])
        kept = [each for each in builds if each["index"] != index["name"]]
        builds = [*kept, *({**each, "index": index["name"], "sources": [name]} for each in found)]
    builds.sort(key=lambda each: (_numbers(each["rocm"]), _numbers(each["torch"]), each["system"]))
    return {
        "as_of": max(sources[name]["date"] for each in builds for name in each["sources"]),
        "sources": sources,
        "indexes": indexes,
        "builds": builds,
        "devices": [dict(each) for each in _devices(recorded["device"])],
        "elsewhere": recorded["elsewhere"],
    }


def by_system(build: Row) -> Iterator[Row]:
    """Yield a recorded build once for each system that it is for."""
    for system in ("linux", "windows"):
        if system in build:
            shared = {
                name: each for name, each in build.items() if name not in {"linux", "windows"}
            }
            yield {**shared, "system": system, "listed": build[system]}


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
        try:
            found, version, _, tags = parse_wheel_filename(name)
        except (InvalidWheelFilename, InvalidVersion):
            continue
        label = _LABEL.fullmatch(version.local or "")
        if found != project or label is None:
            continue
        for tag in tags:
            system = _SYSTEMS.get(re.split(r"[\d_]", tag.platform, maxsplit=1)[0])
            python = re.fullmatch(r"cp(\d)(\d+)", tag.interpreter)
            if system and python and tag.abi == tag.interpreter:
                yield label[1], version.public, system, f"{python[1]}.{python[2]}"


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


def _devices(recorded: Row) -> Iterator[Row]:
    windows = recorded["windows"].split()
    for gfx, families in recorded["families"].items():
        products = recorded["products"][gfx]
        yield {"gfx": gfx, "families": families, "products": products, "windows": gfx in windows}


def _numbers(version: str) -> tuple[int, ...]:
    return Version(version).release


def fetched(url: str) -> str:
    """Return the page at an address. Raises OSError."""
    request = urllib.request.Request(url, headers={"Accept": "text/html"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
        text: str = answer.read().decode()
    return text


if __name__ == "__main__":
    main()
