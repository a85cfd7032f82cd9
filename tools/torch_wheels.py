"""The Python files of torch's wheels, read by range requests.

Of a wheel of 500 to 900 MiB only the directory and the texts are read, 10 to 15 MiB.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import urllib.parse
import urllib.request
import zipfile
from typing import TYPE_CHECKING

from rocmlint.stack.indexes.fetch import IndexReader
from rocmlint.stack.indexes.ranged import RangedFile
from tools.build_names import PYPI, say

if TYPE_CHECKING:
    from tools.build_names import Release


BLOCK = 1 << 19  # bytes to a request
MOST = 1 << 28  # bytes of a wheel
SECONDS = 1800  # for a wheel
# Where the compiled part's functions are listed that `torch` takes over.
STUBS = ("torch/_C/__init__.pyi", "torch/_C/_VariableFunctions.pyi", "torch/_VF.pyi")


def sources(work: str, release: Release) -> dict[str, str]:
    """Return the text of each module of a wheel; kept as a zip of its own."""
    kept = os.path.join(work, "torch", f"{release.version}.zip")
    if not os.path.exists(kept):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        address = wheel_of(str(release.version))
        remote = RangedFile(IndexReader(SECONDS, MOST), address, block=BLOCK, most=MOST)
        with zipfile.ZipFile(remote) as wheel:
            members = [
                each
                for each in wheel.infolist()
                if each.filename.startswith("torch/")
                and (each.filename.endswith(".py") or each.filename in STUBS)
            ]
            numbers = {
                number
                for each in members
                for number in range(
                    each.header_offset // BLOCK,
                    (each.header_offset + each.compress_size + 512) // BLOCK + 1,
                )
                if number * BLOCK < remote.length
            }
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(remote.block, sorted(numbers)))
            with zipfile.ZipFile(kept + ".part", "w", zipfile.ZIP_DEFLATED) as out:
                for each in members:
                    out.writestr(each.filename, wheel.read(each))
        os.replace(kept + ".part", kept)
        read = sum(map(len, remote.blocks.values()))
        say(f"torch {release.version}: {read >> 20} of {remote.length >> 20} MiB read")
    with zipfile.ZipFile(kept) as file:
        return {
            module_of(each): file.read(each).decode("utf-8", "replace") for each in file.namelist()
        }


def wheel_of(version: str) -> str:
    """Return the address of the wheel for Linux and Python 3.11."""
    address = PYPI.format("torch")
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310
        files = json.load(answer)["releases"][version]
    chosen = min(
        each["url"]
        for each in files
        if "cp311-cp311-manylinux" in each["filename"] and "x86_64" in each["filename"]
    )
    return str(urllib.parse.urljoin(address, chosen))


def module_of(path: str) -> str:
    """Return the module that a file of the wheel is."""
    if path in STUBS:
        return path
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
