"""The arrows between the rooms: each goes down, and none is new without a line in the table."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parents[1]
GROUND = {"errors", "findings", "lazy", "paths", "version"}
"""Single files that every room may use."""

ARROWS = """
text
python
disk: text
config: disk text
interpreter: disk text
gpus: interpreter
published: disk text python
git: config disk
formats: text python
syntax: text
notebook: formats syntax text
installs: formats text
tensors: text python
control_flow: tensors text python
project: config disk formats installs published text
patched_classes: disk project text python
source: config disk formats notebook project syntax text
change: disk formats notebook source syntax text
rule: config disk formats installs project source syntax text
rules: control_flow disk formats patched_classes project published rule syntax tensors text python
lint: change config disk formats notebook project rule source syntax text
report: disk rule source text
testing: change config lint rule source
verify: config control_flow disk gpus interpreter published rule source text python
stack: config disk formats gpus installs interpreter lint project published source text python
doctor: config disk formats gpus interpreter lint project source stack text verify
why: config disk gpus lint project published source stack text python
tables: config disk lint report source
api: config lint tables text
engines: api tables
editors: change config formats lint report rule source syntax text
export: control_flow tensors python
cli: change config control_flow disk doctor editors git gpus interpreter lint patched_classes project published report rule source stack testing text verify why
rocmlint: api rule verify
__main__: cli
"""  # noqa: E501 - one room a line
"""A room, and the rooms below it that it may import; each stands below those that use it."""

STACK = """
versions
verdicts
blocks: verdicts
wheels: versions
installed: versions wheels
indexes: versions
resolution: versions wheels
advice: installed resolution verdicts versions wheels
checks: advice installed verdicts versions wheels
upgrade: advice checks installed verdicts versions wheels
recorded: advice installed upgrade verdicts
update: indexes
compatible: installed resolution versions wheels
show: advice checks installed verdicts
migration: advice installed resolution upgrade versions wheels
survival: installed recorded upgrade verdicts
stack: installed migration recorded show survival upgrade verdicts versions wheels
"""
"""The same inside ``stack``, which has rooms of its own."""


@dataclass(frozen=True)
class Floors:
    """A package whose rooms have a table. ``package`` itself stands for its ``__init__``."""

    package: str
    table: str
    ground: frozenset[str] = frozenset()

    @property
    def folder(self) -> Path:
        return ROOT.joinpath("src", *self.package.split("."))

    @property
    def allowed(self) -> dict[str, frozenset[str]]:
        return {
            room: frozenset(below.split())
            for room, _, below in (line.partition(":") for line in self.table.strip().splitlines())
        }

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield each file with its room; the rules stand beside src."""
        for path in sorted(self.folder.rglob("*.py")):
            first = path.relative_to(self.folder).parts[0].removesuffix(".py")
            yield (self.package.rpartition(".")[2] if first == "__init__" else first), path
        if self.package == "rocmlint":
            yield from (("rules", path) for path in sorted((ROOT / "rules").rglob("*.py")))

    def below(self, code: str) -> Iterator[str]:
        """Yield the room of each import, wherever in the code it stands."""
        own = self.package.split(".")
        for node in ast.walk(ast.parse(code)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                parts = name.split(".")
                if parts[: len(own)] == own and len(parts) > len(own):
                    first = parts[len(own)]
                    is_room = first in self.ground or first in self.allowed
                    yield first if is_room else own[-1]

    def arrows(self) -> dict[tuple[str, str], Path]:
        """Return each arrow between two rooms, and a file that has it."""
        return {
            (room, below): path
            for room, path in self.files()
            for below in self.below(path.read_text())
            if room != below
        }


HOUSE = Floors("rocmlint", ARROWS, frozenset(GROUND))
EVERY = pytest.mark.parametrize(
    "floors", [HOUSE, Floors("rocmlint.stack", STACK)], ids=lambda each: each.package
)


@cache
def found_in(floors: Floors) -> dict[tuple[str, str], Path]:
    return floors.arrows()


@EVERY
def test_every_arrow_between_rooms_is_in_the_table(floors: Floors) -> None:
    new = {
        f"{room} -> {below}": str(path.relative_to(ROOT))
        for (room, below), path in found_in(floors).items()
        if below not in floors.ground and below not in floors.allowed.get(room, ())
    }
    assert new == {}


@EVERY
def test_no_room_of_the_table_uses_one_that_stands_above_it(floors: Floors) -> None:
    order = list(floors.allowed)
    upward = [
        (room, each)
        for room, below in floors.allowed.items()
        for each in below
        if each not in order or order.index(each) > order.index(room)
    ]
    assert upward == []


@EVERY
def test_the_table_has_no_arrow_that_nothing_uses(floors: Floors) -> None:
    unused = {
        f"{room} -> {below}"
        for room, allowed in floors.allowed.items()
        for below in allowed
        if (room, below) not in found_in(floors)
    }
    assert unused == set()


def test_the_ground_uses_no_room() -> None:
    arrows = found_in(HOUSE)
    assert [each for each in arrows if each[0] in GROUND and each[1] not in GROUND] == []


@pytest.mark.parametrize(
    "planted",
    ["from rocmlint.lint.run import lint", "import rocmlint.cli.main", "from rocmlint import api"],
)
def test_a_planted_arrow_is_seen(planted: str) -> None:
    code = f"def check():\n    {planted}  # deferred imports count too\n"
    (below,) = HOUSE.below(code)
    assert below not in HOUSE.allowed["text"]
