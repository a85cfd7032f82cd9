"""Whether ``stack compatible`` says the same offline and with uv, and what the wheels say to it."""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from pip._internal.commands import create_command
from tabulate import tabulate

from rocmlint.errors import RocmlintError
from rocmlint.published import requirements
from rocmlint.published.fitting import for_python
from rocmlint.stack.compatible import Compatible, FittingLibrary, compatible
from tools.build_requirements import Index, from_wheel
from tools.build_requirements import for_python as wheels_for

if TYPE_CHECKING:
    from rocmlint.published.requirement_lines import Facts

PACKAGES = (
    *("transformers", "diffusers", "accelerate", "huggingface-hub", "peft", "trl", "vllm"),
    *("sentence-transformers", "bitsandbytes"),
)
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
OLDEST = Version("2.0")
SEED = 20261124


@dataclass(frozen=True)
class Pair:
    """A torch and a Python, and what each source says of the packages; None with an error."""

    torch: str
    python: str
    offline: Compatible | str
    uv: Compatible | str
    has_wheel: bool
    """Whether the index has this torch for this Python."""


def main() -> int:
    """Ask for each pair twice, read the METADATA of what was answered, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a question to uv")
    flags = parser.parse_args()
    os.environ.setdefault("UV_EXCLUDE_NEWER", requirements.AS_OF)  # as though it were that day
    with create_command("download").main_context():
        found = []
        for torch, python in chosen(flags.pairs, flags.seed):
            start = time.monotonic()
            found.append(asked(torch, python, flags.timeout))
            say(f"torch {torch}, Python {python}: {time.monotonic() - start:.0f} s")
        return report(found, flags.seed)


def chosen(count: int, seed: int) -> list[tuple[str, str]]:
    """Return pairs at random, also those that there cannot be."""
    torches = [str(each) for each in requirements.releases("torch") if each >= OLDEST]
    every = [(torch, python) for torch in torches for python in PYTHONS]
    return random.Random(seed).sample(every, count)  # noqa: S311 - a seed that is written down


def asked(torch: str, python: str, timeout: float) -> Pair:
    """Ask offline, then uv."""
    offline = answer(torch, python, uv=False, timeout=timeout)
    has_wheel = torch in links("torch", python)
    return Pair(torch, python, offline, answer(torch, python, uv=True, timeout=timeout), has_wheel)


def answer(torch: str, python: str, *, uv: bool, timeout: float) -> Compatible | str:
    """Return an answer, or why there is none; an answer that uv did not give is none of uv's."""
    try:
        found = compatible(torch, PACKAGES, python=python, ask_uv=uv, timeout=timeout)
    except RocmlintError as error:
        return str(error)
    return found.notes[0] if uv and found.source != "uv" else found


def report(pairs: list[Pair], seed: int) -> int:
    """Print a row for each pair, then each disagreement; 1 where METADATA contradict an answer."""
    rows, differences, wrong = [], [], []
    for each in pairs:
        same, differ = compared(each)
        false = contradicted(each)
        differences += differ
        wrong += false
        wheel = "yes" if each.has_wheel else "no"
        rows.append((each.torch, each.python, wheel, same, len(differ), len(false)))
    head = ("torch", "Python", "wheel", "same", "different", "contradicted by METADATA")
    print(
        f"{len(pairs)} pairs, seed {seed}, {len(PACKAGES)} packages, as of {requirements.AS_OF}\n"
    )
    print(tabulate(rows, head, disable_numparse=True))
    print(f"\n{sum(row[3] for row in rows)} answers are the same, {len(differences)} differ:")
    print("\n".join(f"  {each}" for each in differences) or "  none")
    print(f"\n{read_metadata.cache_info().currsize} METADATA were read; contradicted:")
    print("\n".join(f"  {each}" for each in wrong) or "  none")
    return 1 if wrong else 0


def compared(pair: Pair) -> tuple[int, list[str]]:
    """Return how many packages have the same answer from both, and the differences."""
    at = f"torch {pair.torch}, Python {pair.python}"
    if isinstance(pair.offline, str) and isinstance(pair.uv, str):
        return len(PACKAGES), []
    if isinstance(pair.offline, str) or isinstance(pair.uv, str):
        offline, uv = (
            each if isinstance(each, str) else "an answer" for each in (pair.offline, pair.uv)
        )
        return 0, [f"{at}: offline: {offline}; uv: {uv}"]
    differ = []
    for mine, theirs in zip(pair.offline.libraries, pair.uv.libraries, strict=True):
        if (mine.answer, mine.version) != (theirs.answer, theirs.version):
            differ.append(f"{at}: {mine.package}: offline {of(mine, pair)}; uv {said(theirs)}")
    return len(PACKAGES) - len(differ), differ


def of(library: FittingLibrary, pair: Pair) -> str:
    """Return an offline answer in words, and whether there is a wheel: only uv sees that."""
    sdist = library.version and library.version not in links(library.name, pair.python)
    return f"{said(library)} [no wheel for this Python]" if sdist else said(library)


def said(library: FittingLibrary) -> str:
    """Return an answer in words."""
    reason = f" ({library.following}: {library.reason})" if library.following else ""
    return f"{library.version}{reason}" if library.version else f"none: {library.reason}"


def contradicted(pair: Pair) -> list[str]:
    """Return what METADATA of wheels for this Python say against an answer of either source."""
    at = f"torch {pair.torch}, Python {pair.python}"
    found = []
    for source in (pair.offline, pair.uv):
        if isinstance(source, str):
            refused = f"{at}: refused ({source}), but torch has such a wheel"
            found += [refused] if pair.has_wheel else []
            continue
        if not pair.has_wheel:
            found.append(f"{at}: {source.source} has an answer, but torch has no such wheel")
        for each in source.libraries:
            found += [f"{at}: {source.source}: {one}" for one in against(each, pair)]
    return list(dict.fromkeys(found))


def against(library: FittingLibrary, pair: Pair) -> list[str]:
    """Return what the METADATA of a chosen release say against it; nothing without a wheel."""
    if not library.version:
        return []
    facts = read_metadata(library.name, library.version, pair.python)
    if facts is None:
        return []
    found = []
    if not for_python(SpecifierSet(facts["requires_python"]), pair.python):
        found.append(f"{library.pin} requires Python{facts['requires_python']}")
    extras = library.package.partition("[")[2].rstrip("]").split(",")
    lines = [Requirement(line) for line in facts["requires_dist"]]
    required = requirements.applicable(lines, filter(None, extras), pair.python)
    of_torch = (each for each in required if canonicalize_name(each.name) == "torch")
    unmet = (each for each in of_torch if not each.specifier.contains(pair.torch))
    return [*found, *(f"{library.pin} requires {each}" for each in unmet)]


@cache
def links(package: str, python: str) -> dict[str, Any]:
    """Return the wheels of a package for a Python, by release."""
    return dict(index_for(python).releases(package))


@cache
def index_for(python: str) -> Index:
    """Return the index of pip, for the wheels of a Python."""
    return Index(*wheels_for(python))


@cache
def read_metadata(package: str, version: str, python: str) -> Facts | None:
    """Read the METADATA of a release; None where there is no wheel for this Python."""
    link = links(package, python).get(version)
    with contextlib.redirect_stdout(sys.stderr):
        return None if link is None else from_wheel(package, link, index_for(python).session)


def say(text: str) -> None:
    """Print progress."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
