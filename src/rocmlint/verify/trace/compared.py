"""Two traces side by side, by kernel and by owner: time, calls and share, before and after."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from rocmlint.text.json import array, dumps
from rocmlint.text.visible import visible
from rocmlint.text.words import counted, shortened
from rocmlint.verify.result import EXIT_CODES, overall
from rocmlint.verify.trace.attribution import duration, percent
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.verify.result import Result
    from rocmlint.verify.trace.attribution import Attribution, KnownKernel

VERSION = 1
"""Of the JSON document: grows when a field changes its meaning or goes."""
_SHOWN = 30
_LONGEST = 60


@dataclass(frozen=True)
class Side:
    """The time of kernels in one trace; ``share`` is the part of its GPU kernel time, 0 to 1."""

    calls: int
    nanoseconds: float
    share: float


@dataclass(frozen=True)
class KernelChange:
    """A kernel, or an owner of kernels, in two traces; None where it did not run."""

    name: str
    owner: str
    before: Side | None
    after: Side | None

    @property
    def nanoseconds(self) -> float:
        """Return by how much its time grew."""
        return (self.after.nanoseconds if self.after else 0.0) - (
            self.before.nanoseconds if self.before else 0.0
        )


@dataclass(frozen=True)
class TraceComparison:
    """Two traces; the changes are in the order of their size."""

    before: Attribution
    after: Attribution
    owners: tuple[KernelChange, ...]
    kernels: tuple[KernelChange, ...]


def compare(before: Attribution, after: Attribution) -> TraceComparison:
    """Put the kernels of two traces side by side, by their names."""
    sides = before, after
    owner_of = {each.ran.name: each.owner for side in sides for each in side.kernels}
    kernels = [{each.ran.name: [each] for each in side.kernels} for side in sides]
    owners: list[dict[str, list[KnownKernel]]] = [{}, {}]
    for side, groups in zip(sides, owners, strict=True):
        for each in side.kernels:
            groups.setdefault(owner_of[each.ran.name], []).append(each)
    return TraceComparison(
        before,
        after,
        _changes(sides, owners, {each: each for each in owner_of.values()}),
        _changes(sides, kernels, owner_of),
    )


def _changes(
    sides: tuple[Attribution, Attribution],
    groups: list[dict[str, list[KnownKernel]]],
    owner_of: dict[str, str],
) -> tuple[KernelChange, ...]:
    changes = []
    for name in dict.fromkeys(name for each in groups for name in each):
        found = [
            _side(side, group[name]) if name in group else None
            for side, group in zip(sides, groups, strict=True)
        ]
        changes.append(KernelChange(name, owner_of[name], *found))
    return tuple(sorted(changes, key=lambda each: (-abs(each.nanoseconds), each.name)))


def _side(ran: Attribution, kernels: Iterable[KnownKernel]) -> Side:
    kernels = list(kernels)
    time, total = sum(each.ran.nanoseconds for each in kernels), ran.trace.nanoseconds
    calls = sum(each.ran.calls for each in kernels)
    return Side(calls, time, time / total if total else 0.0)


def text(compared: TraceComparison) -> Iterator[str]:
    """Yield what changed, for people."""
    for name, side in (("before", compared.before), ("after", compared.after)):
        trace = side.trace
        calls = sum(each.calls for each in trace.kernels)
        cut = f"; incomplete: {trace.cut}" if trace.cut else ""
        yield (
            f"{name}: {visible(trace.path)}: {duration(trace.nanoseconds)} in "
            f"{counted(trace.kernels, 'kernel')}, {counted(calls, 'call')}{cut}\n"
        )
    for title, changes in (("owner", compared.owners), ("kernel", compared.kernels)):
        yield "\n" + "".join(_table(title, changes, compared))
    yield "\nA share is of the time of all GPU kernels of its trace.\n"


def _table(title: str, changes: Sequence[KernelChange], compared: TraceComparison) -> Iterator[str]:
    if not changes:
        yield f"No {title}: neither trace contains a kernel.\n"
        return
    rows = []
    for each in changes[:_SHOWN]:
        times = [_time(side) for side in (each.before, each.after)]
        calls = [f"{side.calls:,}" if side else "" for side in (each.before, each.after)]
        shares = [
            percent(side.nanoseconds, whole.trace.nanoseconds) if side else ""
            for side, whole in ((each.before, compared.before), (each.after, compared.after))
        ]
        sign = "-" if each.nanoseconds < 0 else "+"
        change = f"{sign}{duration(abs(each.nanoseconds))}" if each.nanoseconds else "same"
        what = "new" if not each.before else "gone" if not each.after else ""
        row = [visible(shortened(each.name, _LONGEST)), *times, change, *calls, *shares, what]
        rows.append(row if title == "owner" else [*row, visible(each.owner)])
    sides = (f"{each} {when}" for each in ("calls", "share") for when in ("before", "after"))
    headers = [title, "before", "after", "change", *sides, ""]
    if title == "kernel":
        headers.append("owner")
    yield tabulate(rows, headers, disable_numparse=True) + "\n"
    if len(changes) > _SHOWN:
        yield f"and {counted(len(changes) - _SHOWN, f'more {title}')}; all: --output-format json\n"


def _time(side: Side | None) -> str:
    return duration(side.nanoseconds) if side else ""


def document(compared: TraceComparison, results: Sequence[Result]) -> Iterator[str]:
    """Yield the JSON document that docs/schema/trace-comparison.json describes."""
    head = {"name": "rocmlint", "version": __version__}
    yield f'{{"version": {VERSION}, "tool": {dumps(head)},\n'
    code = EXIT_CODES[overall(results)] if results else 0
    yield f'"exit_code": {code},\n'
    for name, side in (("before", compared.before), ("after", compared.after)):
        yield f'"{name}": {dumps(_whole(side))},\n'
    for name, changes in (("owners", compared.owners), ("kernels", compared.kernels)):
        yield f'"{name}": '
        yield from array(_row(each, is_owner=name == "owners") for each in changes)
        yield ",\n"
    yield '"results": '
    yield from array(asdict(each) for each in results)
    yield "}\n"


def _whole(side: Attribution) -> dict[str, Any]:
    trace = side.trace
    return {
        "trace": trace.path,
        "form": trace.form,
        "incomplete": trace.cut,
        "kernels": len(trace.kernels),
        "calls": sum(each.calls for each in trace.kernels),
        "nanoseconds": trace.nanoseconds,
    }


def _row(change: KernelChange, *, is_owner: bool) -> dict[str, Any]:
    row = asdict(change)
    if is_owner:
        del row["name"]
    return row
