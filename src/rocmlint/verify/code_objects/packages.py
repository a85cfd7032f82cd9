"""Which installed package a file came with, by the RECORDs of the packages next to it."""

from __future__ import annotations

import os
from functools import lru_cache
from glob import escape, glob
from importlib.metadata import distributions
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def package_of(path: str) -> str:
    """Return the name to install a file's package by; "" for a file of no package."""
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    while True:
        first = os.path.relpath(path, folder).split(os.sep)[0]
        owner = _owners(folder).get(first)
        if owner or folder == os.path.dirname(folder):
            return owner or ""
        folder = os.path.dirname(folder)


def folders_beside(folder: str) -> list[str]:
    """Return the folders that the package of a folder installed next to it, with that folder."""
    site, name = os.path.split(os.path.abspath(folder))
    owners = _owners(site)
    tops = (top for top, owner in owners.items() if owner == owners.get(name) and top != "..")
    beside = (os.path.join(site, top) for top in tops if not top.endswith(".dist-info"))
    return list(dict.fromkeys((folder, *filter(os.path.isdir, beside))))


@lru_cache(maxsize=1024)
def _owners(folder: str) -> Mapping[str, str]:
    """Return the package of each file and folder in a folder, as their RECORDs have it."""
    owners: dict[str, str] = {}
    if glob(os.path.join(escape(folder), "*.dist-info")):
        for distribution in distributions(path=[folder]):
            try:
                name, record = distribution.metadata["Name"], distribution.read_text("RECORD")
            except (KeyError, OSError, ValueError):  # one broken package hides no other
                continue
            for line in (record or "").splitlines():
                owners.setdefault(line.partition(",")[0].partition("/")[0].strip('"'), name)
    return owners


def is_recorded(path: str) -> bool:
    """Return whether a package installed a file, by a RECORD next to one of its folders."""
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder):
        if os.path.relpath(path, folder) in _recorded(folder):
            return True
        folder = os.path.dirname(folder)
    return False


@lru_cache(maxsize=16)
def _recorded(folder: str) -> frozenset[str]:
    """Return the files in a folder, as the RECORDs in it have them."""
    lines: list[str] = []
    for record in glob(os.path.join(escape(folder), "*.dist-info", "RECORD")):
        try:
            with open(record, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
        except OSError:  # one broken package hides no other
            continue
    return frozenset(each.partition(",")[0].strip('"') for each in lines)
