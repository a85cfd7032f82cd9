"""Commands that take torch from PyPI in a place for ROCm, and what pip would replace there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import compile_lazily

from . import locked
from .consequences import Case, harm, is_build
from .platform import rocm_evidence
from .requested import asked_by
from .rocm_torch import indexes_of, torch_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Install, Word

    from .requested import Everything

_PLACED = frozenset({"--target", "-t", "--prefix", "--root"})
_FORCED = frozenset({"--force-reinstall", "--ignore-installed", "-I", "--reinstall"})
_CONFIGURED = compile_lazily(
    r"pip3? config |pip\.conf|PIP_(?:EXTRA_)?INDEX_URL|PIP_CONSTRAINT|PIP_CONFIG_FILE|PIP_NO_DEPS"
    r"|UV_(?:DEFAULT_|EXTRA_)?INDEX|UV_(?:CONSTRAINT|OVERRIDE|TORCH_BACKEND)"
)


def case_of(command: Command, file: File) -> Case | None:
    """Give what is known of an install that may take torch from PyPI, in a place for ROCm."""
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

    install = install_of(command)
    if install is None or install.dry_run or is_in_setup(file):
        return None
    return _case(command, install, file)


def is_in_setup(file: File) -> bool:
    """Say whether a file is a setup.py, which is built for all platforms."""
    return "setup" in file.kinds and file.path.endswith(".py")


def pip_harms(case: Case, file: File) -> Iterator[tuple[Word | Command, str]]:
    """Yield where pip or uv would replace the ROCm build, and how."""
    seen: set[Word | str] = set()
    for asked in case.everything.asked:
        text = str(asked.requirement)
        if asked.word in seen or text in seen:
            continue
        seen.add(text)
        message = harm(asked, case, file)
        if message:
            seen.add(asked.word)
            why = f" For ROCm: {case.evidence}." if case.torch is None else ""
            yield _place(asked.word, case.command), message + why


def takes_no_dependencies(case: Case, file: File) -> bool:
    """Commands with `--no-deps`."""
    del file
    return case.install.no_dependencies


def replaces_torch_itself(case: Case, file: File) -> bool:
    """Commands that replace torch itself: those are reported by install-replaces-torch."""
    return any(pip_harms(case, file))


def is_by_pip(case: Case) -> bool:
    """Say whether pip or uv installs, and no lock or channel of another tool decides."""
    return case.install.tool != "conda" and case.install.tool not in locked.TOOLS


def _place(word: Word, command: Command) -> Word | Command:
    """Give what a finding spans: the command where its word stands elsewhere, as in a list."""
    inside = command.span[:2] <= word.span[:2] and word.span[2:] <= command.span[2:]
    return word if inside else command


def _case(command: Command, install: Install, source: File) -> Case | None:
    """Look whether a command takes torch from PyPI, in a place for ROCm."""
    if _PLACED & {each.text for each in command.words} or install.constraints:
        return None
    if install.torch_backend or install.no_index or _CONFIGURED.search(source.text):
        return None
    everything = asked_by(command, install, source)
    if install.unclear or _is_elsewhere(install, everything):
        return None
    evidence = rocm_evidence(command, source)
    if not evidence:
        return None
    if install.tool != "pip" and locked.knows_rocm(install.tool, source):
        return None
    torch, comes_later = torch_at(command, source)
    if comes_later and torch is None:
        return None
    forced = bool(_FORCED & {each.text for each in command.words})
    eager = install.upgrade and (install.tool == "uv" or install.upgrade_strategy == "eager")
    builds = any(is_build(each.requirement) for each in everything.asked)
    return Case(command, install, everything, torch, evidence, forced or eager, builds)


def _is_elsewhere(install: Install, everything: Everything) -> bool:
    """Say whether an index other than PyPI's stands where torch is taken from."""
    for url, extra in indexes_of(install, everything.indexes):
        if url is None or pytorch_index.is_other(url):
            return True
        if pytorch_index.pytorch_index(url) is not None and extra and install.tool == "pip":
            continue  # beside PyPI: the newest of both wins
        if not pytorch_index.is_pypi(url):
            return True
    return False
