"""Pages of package indexes: JSON (PEP 691) or HTML (PEP 503), and what a wheel's name says."""

from __future__ import annotations

import html
import json
import re
import urllib.parse
from datetime import date, datetime, timezone
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)

from rocmlint.stack.indexes.fetch import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.tags import Tag
    from packaging.version import Version

    from rocmlint.stack.indexes.fetch import IndexAnswer, IndexReader

_JSON = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_MOST_FILES = 50_000
"""Files on a page: those of torch have less than half of it. Each takes time to look at."""
_LINUX = re.compile(r"(?:many)?linux.*_x86_64")
_LINK = re.compile(r"<a(?=\s)", re.IGNORECASE)
_BASE = re.compile(r"<base(?=\s)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z][\w-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""", re.IGNORECASE)
_BEHIND_PATH = re.compile(r"[?#].*", re.DOTALL)
_LONGEST_TAG = 4096
_LONGEST_NAME = 255
"""Characters of a file's name: no disk takes more."""
_LONGEST_VERSION = 80
"""Characters: those of nightly builds, with a commit in them, have half of it."""
_MOST_WHEEL_TAGS = 32
"""Tags of a wheel: those for every old Python, or many systems, have ten."""


class IndexFile(NamedTuple):
    """A file of a package."""

    name: str
    url: str
    requires_python: str = ""
    yanked: bool = False
    metadata: str | None = None
    """The SHA-256 of the METADATA next to a wheel (PEP 658), "" if it has none; None without."""
    uploaded: str = ""
    """The day, where the page has one that is not later than today."""


class Wheel(NamedTuple):
    """The parts of the name of a wheel."""

    version: Version
    tags: frozenset[Tag]

    @property
    def is_for_linux(self) -> bool:
        """Return whether it runs on Linux on x86_64."""
        return any(each.platform == "any" or _LINUX.fullmatch(each.platform) for each in self.tags)

    @property
    def python_tags(self) -> tuple[str, ...]:
        """Return its Python tags, "cp313t" for a build without the lock of all threads."""
        threads = ("t" if re.fullmatch(r"cp\d+t", each.abi) else "" for each in self.tags)
        tags = {f"{each.interpreter}{t}" for each, t in zip(self.tags, threads, strict=True)}
        return tuple(sorted(tags, key=by_python))


def by_python(tag: str) -> tuple[int, bool, str]:
    """Return the key that sorts Python tags: cp39, cp310, cp313, cp313t."""
    match = re.fullmatch(r"[a-z]+3(\d+)(t?)", tag)
    return (int(match[1]), bool(match[2]), tag) if match else (0, False, tag)


def project_files(reader: IndexReader, index: str, package: str) -> tuple[IndexFile, ...]:
    """Return the files of a package. Raises FetchError."""
    url = f"{index.rstrip('/')}/{canonicalize_name(package)}/"
    return read_page(reader.get(url, {"Accept": _ACCEPT}))


def read_page(answer: IndexAnswer) -> tuple[IndexFile, ...]:
    """Return the files on a page, leaving out what is not a file's name. Raises FetchError."""
    found = _of_json(answer) if answer.kind.endswith("json") else _of_html(answer)
    return tuple(each for each in found if each.name and _is_name(each.name))


def _is_name(text: str) -> bool:
    return text.isprintable() and "/" not in text and "\\" not in text


def wheel_of(name: str) -> Wheel | None:
    """Return what the name of a wheel says; None for another file, and for an absurd name."""
    if len(name) > _LONGEST_NAME or _count_tags(name) > _MOST_WHEEL_TAGS:
        return None
    try:
        _, version, _, tags = parse_wheel_filename(name)
    except (InvalidWheelFilename, ValueError):  # also a version of too many digits
        return None
    return Wheel(version, tags) if len(str(version)) <= _LONGEST_VERSION else None


def _count_tags(name: str) -> int:
    """Return how many tags stand for those at the end of a name: "py2.py3-none-any" for two."""
    return prod(part.count(".") + 1 for part in name.removesuffix(".whl").split("-")[-3:])


@lru_cache(maxsize=_MOST_FILES)
def release_of(name: str) -> Version | None:
    """Return the version that a file is of, a wheel or an sdist; None for any other.

    It is asked for several times for each file of a page, and kept for the longest of them.
    """
    wheel = wheel_of(name)
    if wheel is not None:
        return wheel.version
    if len(name) > _LONGEST_NAME:
        return None
    try:
        version = parse_sdist_filename(name)[1]
    except (InvalidSdistFilename, ValueError):
        return None
    return version if len(str(version)) <= _LONGEST_VERSION else None


def first_uploads(files: Iterable[IndexFile]) -> dict[str, str]:
    """Return the day on which the first file of each release was uploaded, if it is known."""
    found: dict[str, str] = {}
    for each in files:
        release = release_of(each.name)
        if release is not None and each.uploaded:
            version = str(release)
            found[version] = min(each.uploaded, found.get(version, each.uploaded))
    return found


def _of_json(answer: IndexAnswer) -> Iterable[IndexFile]:
    try:
        page = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        message = f"{answer.url}: not a page of a package index ({type(error).__name__})"
        raise FetchError(message) from error
    files = page.get("files") if isinstance(page, dict) else None
    if not isinstance(files, list):
        message = f"{answer.url}: not a page of a package index (no list of files)"
        raise FetchError(message)
    _refuse_too_many(len(files), answer.url)
    return (_of_entry(each, answer.url) for each in files if isinstance(each, dict))


def _refuse_too_many(files: int, url: str) -> None:
    if files > _MOST_FILES:
        message = f"{url}: it lists more than {_MOST_FILES} files"
        raise FetchError(message)


def _of_entry(entry: dict[str, Any], page: str) -> IndexFile:
    hashes = entry.get("core-metadata", entry.get("dist-info-metadata"))
    metadata = None
    if hashes:
        metadata = _text(hashes.get("sha256")) if isinstance(hashes, dict) else ""
    return IndexFile(
        _text(entry.get("filename")),
        _joined(page, _text(entry.get("url"))),
        _text(entry.get("requires-python")),
        bool(entry.get("yanked")),
        metadata,
        _day(_text(entry.get("upload-time"))),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _day(moment: str) -> str:
    """Return the day of a moment; "" where it is none, or is yet to come: no index knows that."""
    try:
        day = date.fromisoformat(moment[:10])
    except ValueError:
        return ""
    return day.isoformat() if day <= datetime.now(timezone.utc).date() else ""


def _joined(page: str, url: str) -> str:
    try:
        return urllib.parse.urljoin(page, url)
    except ValueError:
        return ""


def links_of(page: str, url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where the links of a page of HTML lead to, "" for nowhere, and their attributes.

    The text is cut at the links and not parsed: a page that was made to be slow takes no longer
    than another of its size. Raises FetchError where there are too many.
    """
    head, *links = _LINK.split(page, _MOST_FILES + 1)
    _refuse_too_many(len(links), url)
    _, *bases = _BASE.split(head, maxsplit=1)
    base = _joined(url, _attributes(bases[0]).get("href", "") if bases else "")
    for attributes in map(_attributes, links):
        yield _joined(base, attributes["href"]) if "href" in attributes else "", attributes


def last_part(url: str) -> str:
    """Return what an address has behind its last slash: the name of a file."""
    return urllib.parse.unquote(_BEHIND_PATH.sub("", url).rpartition("/")[2])


def _of_html(answer: IndexAnswer) -> Iterator[IndexFile]:
    for url, attributes in links_of(answer.content.decode(errors="replace"), answer.url):
        hashes = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
        metadata = None if hashes is None else hashes.removeprefix("sha256=").strip()
        yield IndexFile(
            last_part(url),
            url,
            attributes.get("data-requires-python", ""),
            "data-yanked" in attributes,
            "" if metadata == "true" else metadata,
        )


def _attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a tag, from behind its name on."""
    inside = tag[:_LONGEST_TAG].partition(">")[0]
    pairs = (match.groups("") for match in _ATTRIBUTE.finditer(inside))
    return {name.lower(): html.unescape(value.strip("\"'")) for name, value in pairs}
