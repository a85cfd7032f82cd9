"""ROC706, conflicting-hyperparameter-defaults."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import PythonRule, compile_lazily, nodes, once_per_file

from ._defaults import QUOTED, Default, defaults

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_WHOLE = compile_lazily(
    r"(?:(?:self|cls)\.)?(?:(?:config|run|train|training)_?)?"
    r"(?:args|cfg|conf|config|hparams|opts?|options|params|settings)\Z"
)
"""How the one configuration of a run is called, which functions name in different ways."""


class Conflict(NamedTuple):
    """A default, and another one of the same hyper-parameter that differs."""

    here: Default
    other: Default


def is_another_branch(found: Conflict, source: Source) -> bool:
    """Defaults in the two branches of one `if`.

    Written for unslothai/unsloth, studio/backend/core/training/worker.py.
    """
    first, last = sorted((_line(found.here, source), _line(found.other, source)))
    return any(begin <= first < other <= last <= end for begin, other, end in _branches(source))


def is_in_another_definition(found: Conflict, source: Source) -> bool:
    """Defaults in two functions or classes of a file, which may be for different runs."""
    return _definition(found.here, source) != _definition(found.other, source)


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    return (each.here.match for each in _conflicts(source))


@once_per_file
def _conflicts(source: Source) -> tuple[Conflict, ...]:
    """Return each default with each one that differs, those above it first and the nearest first.

    Two are of one configuration if both names are usual ones for all settings of a run, such as
    `config` and `training_args`, or if both are the same name, such as `model.cfg.optimizer`.
    """
    alike: dict[tuple[str, str], list[Default]] = {}
    for each in defaults(source):
        owner = "" if _WHOLE.match(each.owner) else each.owner
        if each.number is not None:
            alike.setdefault((each.key, owner), []).append(each)
    return tuple(
        Conflict(here, other)
        for group in alike.values()
        for index, here in enumerate(group)
        for other in (*reversed(group[:index]), *group[index:])
        if other.number != here.number
    )


class ConflictingHyperparameterDefaults(PythonRule["cst.Call"]):
    """Hyper-parameter is read with two different defaults.

    ## Why it matters
    A configuration that leaves the key out trains with both values: the schedule is computed for
    four accumulated steps, and the optimizer takes one. Nothing fails, and the log shows either.

    Looked at are the usual hyper-parameters of training (learning rate, weight decay, warm-up,
    epochs, accumulation, clipping, LoRA), where one file reads them from a configuration by
    ``.get``, ``.pop`` or ``getattr`` with a number as the default. Each place of a conflict is
    reported, with another one that differs.

    Two places read one configuration if both call it by a usual name for all settings of a run
    (``config``, ``args``, ``training_args``, ``self.config``), or by the same name (``optim_cfg``,
    ``model.cfg.optimizer``). They are in one file, and neither default is zero, which often means
    "not set".

    ## Example
    ```python
    def total_steps(config, samples):
        accumulated = config.get("gradient_accumulation_steps", 4)
        return samples // accumulated

    def train(config, loader, step):
        for index, batch in enumerate(loader):
            step(batch, index % config.get("gradient_accumulation_steps", 1) == 0)
    ```

    ## Use instead
    Keep defaults in one place, such as a dataclass, and read the key without one.
    ```python
    def total_steps(config, samples):
        return samples // config["gradient_accumulation_steps"]

    def train(config, loader, step):
        for index, batch in enumerate(loader):
            step(batch, index % config["gradient_accumulation_steps"] == 0)
    ```

    ## References
    - https://docs.python.org/3/library/dataclasses.html
    """

    code = "ROC706"
    name = "conflicting-hyperparameter-defaults"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = nodes(
        "Call",
        words=QUOTED,
        suspects=_suspects,
        described="calls of `get`, `pop` and `getattr` that give a hyper-parameter a number as its "
        "default",
    )
    excuses = (is_another_branch,)
    doubts = (is_in_another_definition,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find defaults that differ from another one in the file."""
        conflicts = _conflicts(source)
        if not conflicts:
            return
        span = source.span(node)
        end = source.offset_of(span.end_line) + span.end_column - 1
        for found in conflicts:
            severity = self.severity_of(found, source) if found.here.match.end() == end else None
            if severity is None:
                continue
            here, other = found
            line = source.named_line(source.line_of(other.match.start()))
            message = f"`{here.key}` defaults to {here.value} here, and to {other.value} in {line}"
            help = (
                f"Read `{here.key}` with one default, which is written in one place. "
                "A run that passes both places without it takes both values."
            )
            yield self.finding(node, source, message, help=help, severity=severity)
            return


@once_per_file
def _branches(source: Source) -> list[tuple[int, int, int]]:
    """Return where each `if` begins, where its other branch does, and where it ends."""
    module = source.python_tree
    return [
        (each.lineno, each.orelse[0].lineno, each.end_lineno or each.lineno)
        for each in ([] if module is None else ast.walk(module))
        if isinstance(each, ast.If) and each.orelse
    ]


def _definition(default: Default, source: Source) -> str:
    """Return the name of the function or class at the top of a file around a default."""
    line, module = _line(default, source), source.python_tree
    for each in [] if module is None else module.body:
        if each.lineno <= line <= (each.end_lineno or each.lineno):
            return getattr(each, "name", "")
    return ""


def _line(default: Default, source: Source) -> int:
    return source.line_of(default.match.start())
