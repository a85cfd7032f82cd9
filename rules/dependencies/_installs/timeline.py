"""One reading of the commands of a file: what is there when each of them installs something."""

from __future__ import annotations

import posixpath
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import compile_lazily, install_of, installs_of, once_per_file

from .._pins.installed_together import known
from .rocm_torch import FOR_ONE_COMMAND, installed_by, is_from_rocm

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from rocmlint.formats.model import Branch
    from rocmlint.rule import Command, File, Install, Span

    from .rocm_torch import RocmTorch

_CONDAS = frozenset({"conda", "mamba", "micromamba"})
_LEAVES = frozenset({"return", "exit"})
_MOST = 50
"""Commands that one is compared with, on each side: hardly a script has so many branches."""
_LIST = frozenset({"-r", "--requirement"})
_CLAUSE = compile_lazily(r"(?m)^[ \t]*(?:else|elif|except)\b")
"""What parts the commands of Python code, which are in no branch of a shell."""
_PYTHON = (".py", ".pyi", ".pyw", ".ipynb")
_REPOSITORY = compile_lazily(r"(?:://|git@)[^\s#@]*[/:]([\w.-]+?)(?:\.git)?(?:[@#].*)?\Z")
_WHEEL = compile_lazily(r"(?:\A|[/=])([A-Za-z][\w.]*)-\d[^/]*\.(?:whl|tar\.gz)")


@dataclass(frozen=True)
class State:
    """What is there when a command runs, by the commands above it, and whether torch comes below.

    A torch counts where it is installed into the same environment and not instead; ``packages``
    are those that any command above installs or clones, if their metadata are known.
    """

    torch: RocmTorch | None = None
    torch_comes_later: bool = False
    torch_by_uv: bool = False
    """``uv pip`` has installed a ROCm torch, in whichever branch."""
    packages: frozenset[str] = frozenset()
    is_cloned: bool = False
    """A repository was cloned."""
    is_listed: bool = False
    """A list of requirements was installed."""
    environments: int = 0
    """How many were made that have nothing of the system's."""

    def behind(self, command: Command, torch: RocmTorch | None) -> State:
        """Return the state behind a command, with the ROCm torch that it installs for good."""
        words, install = [each.text for each in command.words], install_of(command)
        packages = {*map(canonicalize_name, _packages(words, install))} & known()
        by_uv = torch is not None and install is not None and install.tool == "uv"
        is_here = install is not None and not install.elsewhere
        return State(
            torch_by_uv=self.torch_by_uv or (by_uv and is_here),
            packages=self.packages if packages <= self.packages else self.packages | packages,
            is_cloned=self.is_cloned or "clone" in words,
            is_listed=self.is_listed or ("install" in words and not _LIST.isdisjoint(words)),
            environments=self.environments + _makes_environment(words),
        )


class _Timeline(NamedTuple):
    """The places of commands, with the state behind each; and the commands that install torch."""

    places: list[Span]
    states: list[State]
    torches: Mapping[Hashable, list[tuple[Command, RocmTorch]]]
    """Those for ROCm, by how many environments were made before, and the container."""
    taking: Mapping[Hashable, list[Command]]
    """Those that take torch for ROCm or its torchvision, by the stage and the container."""


def state_at(command: Command, file: File) -> State:
    """Return the state where a command runs."""
    line = _timeline(file)
    before = line.states[bisect_left(line.places, command.span)]
    container = _container(command, file)
    torches = line.torches.get((before.environments, container), [])
    count = bisect_left(torches, command.span, key=lambda each: each[0].span)
    found = reversed(torches[max(count - _MOST, 0) : count])
    torch = next((it for each, it in found if not are_alternatives(each, command, file)), None)
    taking = line.taking.get((command.step.stage, container), [])
    first = bisect_right(taking, command.span, key=lambda each: each.span)
    below = taking[first : first + _MOST]
    comes_later = any(not are_alternatives(command, each, file) for each in below)
    return replace(before, torch=torch, torch_comes_later=comes_later)


@once_per_file
def _timeline(file: File) -> _Timeline:
    line = _Timeline([], [State()], defaultdict(list), defaultdict(list))
    ordered = sorted(file.parts.commands, key=lambda each: each.span)
    for span, commands in groupby(ordered, key=lambda each: each.span):
        state = line.states[-1]
        for each in commands:
            torch = _installed_by(each, file)
            state = state.behind(each, torch)
            container = _container(each, file)
            if torch is not None:
                line.torches[state.environments, container].append((each, torch))
            if torch is not None or _takes_family(each):
                line.taking[each.step.stage, container].append(each)
        line.places.append(span)
        line.states.append(state)
    return line


def _container(command: Command, file: File) -> Span | None:
    """Return the place of the image that a command of a workflow runs in."""
    image = command.step.image if file.path.endswith((".yml", ".yaml")) else None
    return None if image is None else image.span


def _installed_by(command: Command, file: File) -> RocmTorch | None:
    """Return the ROCm torch that a command installs for good."""
    install = install_of(command)
    if install is None or install.tool in FOR_ONE_COMMAND:
        return None
    return installed_by(install, file.named_line(command.span.line))


def _takes_family(command: Command) -> bool:
    install = install_of(command)
    names = frozenset[str]() if install is None else install.names.intersection(FAMILY)
    return install is not None and bool(names) and is_from_rocm(install)


def _packages(words: Iterable[str], install: Install | None) -> Iterator[str]:
    """Yield what a command installs, and which repositories it clones."""
    yield from () if install is None else install.names
    for word in words:
        match = _REPOSITORY.search(word) or _WHEEL.search(word)
        if match is not None:
            yield posixpath.basename(match[1])


def _makes_environment(words: Sequence[str]) -> bool:
    if "--system-site-packages" in words:
        return False
    program = posixpath.basename(words[0])
    is_conda = program in _CONDAS and "create" in words[:3]
    return is_conda or program == "virtualenv" or bool({"venv", "virtualenv"} & {*words[1:3]})


def are_alternatives(one: Command, two: Command, file: File) -> bool:
    """Return whether one of two commands runs and the other does not.

    So it is with the branches of one ``if`` or ``case``, and where the branch of the first leaves
    the function or the script.
    """
    first, last = (one, two) if one.span < two.span else (two, one)
    if file.path.endswith(_PYTHON):
        return _is_clause_between(first.span, last.span, file)
    arms = {each.block: each.arm for each in last.branches}
    if any(arms.get(each.block, each.arm) != each.arm for each in first.branches):
        return True
    for branch in first.branches:
        if branch.block not in arms:
            if branch.scope:
                return False
            if _leaves_between(first.span, last, branch, file):
                return True
    return False


def is_other_branch_for_rocm(command: Command, file: File) -> bool:
    """Return whether a command that may take torch for ROCm runs in place of this one."""
    others = _from_rocm_or_unknown(file)
    at = bisect_left(others, command.span, key=lambda each: each.span)
    near = others[max(at - _MOST, 0) : at + _MOST]
    return any(each is not command and are_alternatives(each, command, file) for each in near)


@once_per_file
def _from_rocm_or_unknown(file: File) -> list[Command]:
    """Return a command of each branch that may take torch for ROCm, in their order."""
    found = {
        (each.branches, each.step.number): each
        for each, install in installs_of(file.parts.commands)
        if is_from_rocm(install) or any(not index.word.known for index in install.indexes)
    }
    return sorted(found.values(), key=lambda each: each.span)


def _is_clause_between(first: Span, last: Span, file: File) -> bool:
    """Return whether a clause of Python code begins that runs instead of those above."""
    start = file.offset_of(first.end_line) + first.end_column - 1
    end = file.offset_of(last.line) + last.column - 1
    clauses = _clauses(file)
    at = bisect_left(clauses, (start, 0))
    return at < len(clauses) and clauses[at][1] <= end


@once_per_file
def _clauses(file: File) -> list[tuple[int, int]]:
    return [match.span() for match in _CLAUSE.finditer(file.text)]


def _leaves_between(first: Span, last: Command, branch: Branch, file: File) -> bool:
    """Return whether a command of a branch leaves the function or script before another one."""
    leaving = _leaving(file).get((last.step.number, branch), [])
    at = bisect_right(leaving, first)
    return at < len(leaving) and leaving[at] < last.span


@once_per_file
def _leaving(file: File) -> Mapping[tuple[int, Branch], list[Span]]:
    """Return where commands leave a function or the script, by the step and the branch."""
    found: defaultdict[tuple[int, Branch], list[Span]] = defaultdict(list)
    for each in sorted(file.parts.commands, key=lambda each: each.span):
        if each.words[0].text in _LEAVES and each.branches:
            found[each.step.number, each.branches[-1]].append(each.span)
    return found
