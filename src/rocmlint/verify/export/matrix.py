"""Many models, each with children of its own: what fails, hangs or is killed is one row."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError
from rocmlint.verify.export.judge import CHECK, verdicts_of, worst
from rocmlint.verify.export.question import asked
from rocmlint.verify.result import Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.export.judge import Judged, Word
    from rocmlint.verify.export.listed import ListedModel
    from rocmlint.verify.result import Result

_CLAIM = "the export can be checked"


@dataclass(frozen=True)
class MatrixRow:
    """The result of one model."""

    name: str
    word: Word
    why: str
    seconds: float
    verdicts: tuple[Judged, ...]
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()
    """Versions, and how the model was built."""


def rows(
    listed: Sequence[ListedModel],
    interpreter: Interpreter,
    jobs: int,
    progress: Callable[[str], None] | None = None,
) -> Iterator[MatrixRow]:
    """Yield a row for each model, in the order of the list, as soon as all before it are done."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(listed)):
        waiting.put(number)
    finished: queue.SimpleQueue[tuple[int, MatrixRow]] = queue.SimpleQueue()
    running: dict[int, str] = {}

    def work() -> None:
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            running[number] = listed[number].name
            row = row_of(listed[number], interpreter)
            running.pop(number)
            finished.put((number, row))

    for _ in range(min(jobs, len(listed))):
        # A thread that still waits for a child must not keep a command alive that is told to end.
        threading.Thread(target=work, daemon=True).start()
    yield from _in_order(finished, len(listed), running, progress)


def _in_order(
    finished: queue.SimpleQueue[tuple[int, MatrixRow]],
    many: int,
    running: dict[int, str],
    progress: Callable[[str], None] | None,
) -> Iterator[MatrixRow]:
    done: dict[int, MatrixRow] = {}
    count = following = 0
    while following < many:
        try:
            number, row = finished.get(timeout=1)
        except queue.Empty:
            if progress is not None:
                names = ", ".join(list(running.values()))
                progress(f"{count} of {many} models; running: {names}")
            continue
        done[number] = row
        count += 1
        while following in done:
            yield done.pop(following)
            following += 1


def row_of(listed: ListedModel, interpreter: Interpreter) -> MatrixRow:
    """Ask about one model; what its children do to themselves is part of the answer."""
    started = time.monotonic()
    limited = replace(interpreter, timeout=listed.timeout)
    try:
        facts = asked(listed.question, limited)
    except RocmlintError as error:
        why = str(error).strip()
        judgement = Judgement("unproven", "executed", "ERROR", why, "see the error")
        result = judgement.on(CHECK, _CLAIM, listed.name)
        seconds = time.monotonic() - started
        return MatrixRow(listed.name, "UNKNOWN", why, seconds, (), (result,))
    found = verdicts_of(facts, listed.name)
    word = worst([each.word for each in found])
    why = next((each.why for each in found if each.word == word), "")
    results = tuple(result for each in found for result in each.results)
    notes = (*facts.program["notes"],)
    return MatrixRow(
        listed.name, word, why, time.monotonic() - started, tuple(found), results, notes
    )
