"""The arrows between the rooms: each goes down, and none is new without a line in the table."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocmlint.python.imports import imported_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
project: config disk formats published text
models: disk project text python
source: config disk formats notebook project syntax text
change: disk formats notebook source syntax text
rule: config disk formats project source syntax text
rules: disk formats models project published rule syntax text python
lint: change config disk formats notebook project rule source syntax text
report: disk rule source text
testing: change config lint rule source
verify: config disk formats gpus interpreter models published rule source text python
stack: config disk formats gpus interpreter lint project published source text python
doctor: config disk formats gpus interpreter lint project source stack text verify
why: config disk gpus lint project published source stack text python
tables: config disk lint report source
api: config lint tables text
engines: api tables
editors: change config formats lint report rule source syntax text
export: models python
cli: change config disk doctor editors git gpus interpreter lint models project published report rule source stack testing text verify why
rocmlint: api rule verify
__main__: cli
"""  # noqa: E501 - one room a line
"""A room, and the rooms below it that it may import; each is below those that use it."""

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
LINT = """
discovery
by_settings
shared_disk
check_parts
decided
guard
rule_fault
scan
fold
json_words
unread
as_in_run: discovery
selection: discovery
check: check_parts
file_result: decided rule_fault
first_sight: scan
runnable: unread
suppress: selection
cache: file_result shared_disk
lint_file: check check_parts first_sight rule_fault
documents: suppress
evidence: by_settings cache decided discovery guard selection shared_disk
linter: decided documents first_sight fold json_words lint_file rule_fault runnable scan selection shared_disk suppress unread
workers: by_settings cache check discovery file_result first_sight guard lint_file linter rule_fault shared_disk suppress
run: by_settings cache discovery evidence file_result fold rule_fault workers
"""  # noqa: E501 - one room a line
VERIFY = """
result
code_objects: result
trace: code_objects result
kernels: code_objects result trace
manifest
patches: manifest result
live: manifest result
job: code_objects live manifest result
claims: code_objects kernels manifest patches result trace
variables: result
dtype: result
model: result
export: result
report: result
"""
INSIDE = """
progress
search
inside: progress search
factory: inside
own_package: inside
places
tensors
forks
variables: search
imports: search
live
parents: imports
packages: forks imports live parents progress search
devices: imports search
probe: inside devices imports search variables
job: inside imports live progress search variables
dtype: inside factory packages places search tensors
model: inside factory places progress search tensors
exporting: inside factory model own_package progress search
"""
LIVE = """
source
objects: source
call_tracing: objects
code_at_lookup: objects
stale_importers: objects
executed: call_tracing objects
bound: objects source
code_file: bound code_at_lookup objects source
original_keepers: bound code_at_lookup code_file objects source stale_importers
claimed_functions: bound code_at_lookup code_file executed objects original_keepers source
left_to_claims: bound claimed_functions code_at_lookup objects source
differences: objects source
compare: bound claimed_functions differences left_to_claims objects source stale_importers
"""
FORMATS = """
model
formats: model
readers: model
scripts: formats model readers
packaging: model readers scripts
images: model packaging readers scripts
ci: model readers scripts
documents: model readers scripts
deepspeed: model readers
variable_files: model
installs: model packaging scripts
"""
MODELS = """
tensors
control_flow: tensors
patches
"""
EXPORT = """
proof
errors: proof
heap
references: errors
program: errors
frames
calls
modes
patch: errors
operators
containers: errors references
targets: calls errors patch references
kept_originals: heap
aliases: heap kept_originals references
installation: aliases errors program proof references targets
propagation: aliases installation kept_originals targets
patches: containers patch
static_sizes: errors frames patch
rewriting: errors patch targets
dump: errors rewriting
manager: containers dump errors installation modes patch patches program proof propagation rewriting static_sizes targets
agreement: frames static_sizes
export: containers errors manager operators patch rewriting
"""  # noqa: E501 - one room a line
WHY = """
log
host
facts: host log
answer: facts log
entries: answer facts
generic: answer facts log
useful: answer facts generic
tracker: facts
report: answer facts log
diagnose: answer entries facts generic log tracker useful
examples: diagnose entries log
diary: entries examples facts log
"""
RULES = """
lint
patching
dependencies
features
dtype
training
vision
trainer
export
"""
"""Each family by itself: no rule knows another's."""


def package_of(path: Path) -> str:
    """Return the package that a file is in, with dots."""
    top = ROOT / "src" if path.is_relative_to(ROOT / "src") else ROOT
    package = ".".join(path.relative_to(top).parts[:-1])
    return package if top != ROOT else f"rocmlint.{package}"


def module_of(path: Path) -> str:
    """Return the dotted name of a file."""
    return package_of(path) if path.name == "__init__.py" else f"{package_of(path)}.{path.stem}"


def nearest(name: str, files: Mapping[str, Path]) -> str | None:
    """Return the module of a dotted name that may go on with what the module has."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name or None


def imported(code: str, package: str) -> Iterator[str]:
    """Yield the dotted name of each import, deferred ones too, relative ones made absolute."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = imported_module(node, package)
            yield from (f"{module}.{alias.name}" for alias in node.names)


@dataclass(frozen=True)
class Floors:
    """A package whose rooms have a table. ``package`` itself stands for its ``__init__``."""

    package: str
    table: str
    ground: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """Return the package, which names a case of a test."""
        return self.package

    @property
    def folder(self) -> Path:
        """The rules are at the top of the repository."""
        is_rules = self.package == "rocmlint.rules"
        return ROOT / "rules" if is_rules else ROOT.joinpath("src", *self.package.split("."))

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

    def below(self, code: str, package: str = "") -> Iterator[str]:
        """Yield the room of each import of a module in ``package``, wherever in the code it is."""
        own = self.package.split(".")
        for name in imported(code, package):
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
            for below in self.below(path.read_text(), package_of(path))
            if room != below
        }


HOUSE = Floors("rocmlint", ARROWS, frozenset(GROUND))
WINGS = [
    Floors(f"rocmlint.{package}", table)
    for package, table in {
        "stack": STACK,
        "verify": VERIFY,
        "interpreter.inside": INSIDE,
        "interpreter.inside.live": LIVE,
        "formats": FORMATS,
        "models": MODELS,
        "export": EXPORT,
        "why": WHY,
        "rules": RULES,
        "lint": LINT,
    }.items()
]
EVERY = pytest.mark.parametrize("floors", [HOUSE, *WINGS], ids=str)


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
    ("floors", "package", "planted"),
    [
        (HOUSE, "rocmlint.text", "from rocmlint.lint.run import lint"),
        (HOUSE, "rocmlint.text", "import rocmlint.cli.main"),
        (HOUSE, "rocmlint.text", "from rocmlint import api"),
        (WINGS[0], "rocmlint.stack.versions", "from rocmlint.stack import advice"),
        (WINGS[1], "rocmlint.verify.trace", "from rocmlint.verify.claims.check import check"),
        (WINGS[2], "rocmlint.interpreter.inside.imports", "from ..packages import stock"),
        (WINGS[3], "rocmlint.interpreter.inside.live.source", "from ..objects import names"),
        (WINGS[4], "rocmlint.formats.readers", "from rocmlint.formats.images import compose"),
        (WINGS[5], "rocmlint.models.tensors", "from rocmlint.models.patches import lock"),
        (WINGS[6], "rocmlint.export", "from rocmlint.export import manager"),
        (WINGS[7], "rocmlint.why.facts", "from rocmlint.why.answer import answer"),
        (WINGS[8], "rocmlint.rules.dtype", "from rocmlint.rules.vision import _exif"),
        (WINGS[9], "rocmlint.lint.discovery", "from rocmlint.lint.workers import lint_files"),
    ],
    ids=str,
)
def test_a_planted_arrow_is_seen(floors: Floors, package: str, planted: str) -> None:
    code = f"def check():\n    {planted}  # deferred imports count too\n"
    (below,) = floors.below(code, package)
    room = package.removeprefix(f"{floors.package}.").partition(".")[0]
    assert below not in floors.allowed.get(room, {room})


def test_no_file_imports_itself_through_others() -> None:
    files = {module_of(path): path for _, path in HOUSE.files()}
    arrows = {
        module: {
            below
            for name in imported(path.read_text(), package_of(path))
            if (below := nearest(name, files)) not in (None, module)
        }
        for module, path in files.items()
    }
    TopologicalSorter(arrows).prepare()  # raises CycleError, which names the circle
