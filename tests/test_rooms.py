"""The arrows between the rooms: each goes down, and none is new without a line in the table."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
GROUND = {"errors", "findings", "lazy", "paths", "version"}
"""Single files that every room may use."""

ARROWS = """
text
disk: text
config: disk
interpreter: disk text
gpus: interpreter
published: disk text
git: config disk
formats: text
syntax: text
notebook: formats syntax text
installs: formats text
tensors: text
control_flow: tensors text
project: config disk formats installs published text
patched_classes: disk project text
source: config disk formats notebook project syntax text
change: disk formats notebook source syntax text
rule: config disk formats installs project source syntax text
rules: control_flow disk formats patched_classes project published rule syntax tensors text
lint: change config disk formats notebook project rule source syntax text
report: disk rule source text
testing: change config lint rule source
verify: config control_flow disk gpus interpreter published rule source text
stack: config disk formats gpus installs interpreter lint project published source text
tables: config disk lint report source
api: config lint tables text
engines: api tables
editors: change config formats lint report rule source syntax text
export: control_flow tensors
cli: change config control_flow disk editors git gpus interpreter lint patched_classes project published report rule source stack testing text verify
rocmlint: api rule verify
__main__: cli
"""  # noqa: E501 - one room a line
"""A room, and the rooms below it that it may import; each stands below those that use it."""

ALLOWED = {
    room: frozenset(below.split())
    for room, _, below in (line.partition(":") for line in ARROWS.strip().splitlines())
}


def arrows(code: str, room: str) -> Iterator[tuple[str, str]]:
    """Yield a room and the room of each import in its code, wherever in the code it stands."""
    for node in ast.walk(ast.parse(code)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            top, *inner = name.split(".")
            if top == "rocmlint" and inner:
                yield room, inner[0] if inner[0] in GROUND or inner[0] in ALLOWED else "rocmlint"


def room_of(path: Path) -> str:
    if path.is_relative_to(ROOT / "rules"):
        return "rules"
    first = path.relative_to(ROOT / "src" / "rocmlint").parts[0].removesuffix(".py")
    return "rocmlint" if first == "__init__" else first


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], Path]:
    """Return each arrow between two rooms, and a file that has it."""
    files = [*(ROOT / "src" / "rocmlint").rglob("*.py"), *(ROOT / "rules").rglob("*.py")]
    return {
        (room, below): path
        for path in sorted(files)
        for room, below in arrows(path.read_text(), room_of(path))
        if room != below
    }


def test_every_arrow_between_rooms_is_in_the_table(found: dict[tuple[str, str], Path]) -> None:
    new = {
        f"{room} -> {below}": str(path.relative_to(ROOT))
        for (room, below), path in found.items()
        if below not in GROUND and below not in ALLOWED.get(room, ())
    }
    assert new == {}


def test_no_room_of_the_table_uses_one_that_stands_above_it() -> None:
    order = list(ALLOWED)
    upward = [(room, each) for room in order for each in ALLOWED[room] if each not in order]
    upward += [
        (room, each)
        for room in order
        for each in ALLOWED[room]
        if each in order and order.index(each) > order.index(room)
    ]
    assert upward == []


def test_the_table_has_no_arrow_that_nothing_uses(found: dict[tuple[str, str], Path]) -> None:
    unused = {
        f"{room} -> {below}"
        for room, allowed in ALLOWED.items()
        for below in allowed
        if (room, below) not in found
    }
    assert unused == set()


def test_the_ground_uses_no_room(found: dict[tuple[str, str], Path]) -> None:
    assert [(room, below) for room, below in found if room in GROUND and below not in GROUND] == []


@pytest.mark.parametrize(
    "planted",
    ["from rocmlint.lint.run import lint", "import rocmlint.cli.main", "from rocmlint import api"],
)
def test_a_planted_arrow_is_seen(planted: str) -> None:
    code = f"def check():\n    {planted}  # deferred imports count too\n"
    ((_, below),) = arrows(code, "text")
    assert below not in ALLOWED["text"]
