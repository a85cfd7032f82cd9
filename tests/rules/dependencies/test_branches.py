"""Two commands are alternatives only where no run of a script executes both."""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from rocmlint.rules.dependencies._installs.timeline import are_alternatives
from rocmlint.source.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

Statement = tuple[str, list[list["Statement"]]]
"""What it is, and its bodies: a command and ``exit`` have none."""

BLOCKS = {
    "if": ("if a; then", "fi"),
    "else": ("if a; then", "else", "fi"),
    "elif": ("if a; then", "elif b; then", "fi"),
    "case": ("case $x in\na)", ";;\n*)", ";;\nesac"),
    "for": ("for i in 1; do", "done"),
    "or": ("a || {", "}"),
}
"""The lines around the bodies."""
ALWAYS_ENTERED = {"else", "case", "for"}


def bodies(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[list[Statement]]:
    return st.lists(inner, min_size=1, max_size=3)


def block(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    def of_kind(kind: str) -> st.SearchStrategy[Statement]:
        count = len(BLOCKS[kind]) - 1
        return st.tuples(st.just(kind), st.lists(bodies(inner), min_size=count, max_size=count))

    return st.sampled_from(sorted(BLOCKS)).flatmap(of_kind)


LEAVES: st.SearchStrategy[Statement] = st.sampled_from([("run", []), ("run", []), ("exit", [])])
SCRIPTS = bodies(st.recursive(LEAVES, block, max_leaves=12))


def lines(body: list[Statement], numbers: Iterator[int]) -> Iterator[str]:
    """Yield the lines of a script; each command has a number."""
    for kind, inner in body:
        if kind == "run":
            yield f"run {next(numbers)}"
        elif kind == "exit":
            yield "exit"
        else:
            opening, *others = BLOCKS[kind]
            yield opening
            for each, line in zip(inner, others, strict=True):
                yield from lines(each, numbers)
                yield line


def runs(body: list[Statement], numbers: Iterator[int]) -> set[tuple[frozenset[int], bool]]:
    """Return what each way through a script executes, and whether the script was left on it."""
    ways = {(frozenset[int](), False)}
    for kind, inner in body:
        if kind == "run":
            here = {(frozenset({next(numbers)}), False)}
        elif kind == "exit":
            here = {(frozenset[int](), True)}
        else:
            here = set(chain.from_iterable([runs(each, numbers) for each in inner]))
            here |= set() if kind in ALWAYS_ENTERED else {(frozenset[int](), False)}
        left = {way for way in ways if way[1]}
        ways = left | {(done | more, out) for done, gone in ways if not gone for more, out in here}
    return ways


@settings(max_examples=300, deadline=None)
@given(SCRIPTS)
def test_commands_that_one_run_executes_are_no_alternatives(body: list[Statement]) -> None:
    file = Document("script.sh", "\n".join(lines(body, iter(range(1000)))) + "\n")
    commands = {
        int(each.words[1].text): each for each in file.parts.commands if each.words[0].text == "run"
    }
    for done, _ in runs(body, iter(range(1000))):
        for one, two in combinations(sorted(done), 2):
            assert not are_alternatives(commands[one], commands[two], file)
