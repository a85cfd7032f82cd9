"""ROC706, conflicting-hyperparameter-defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import PythonRule, compile_lazily, nodes, once_per_file
from rocmlint.rule.put_aside import is_in_unused_copy, is_put_aside

from ._defaults import KEYS, Default, defaults, ways_to

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
_ROLE = compile_lazily(
    r"actor|adamw?|adapter|alignprop|audio|bco|benchmark|continual|cpo|critic|demo|discriminator|diffusion|distill"
    r"|dpo|dream|embed|eval|export|fine_?tun|full|generator|grpo|inference|kto|lion|lora|mlx|muon|orpo|phase"
    r"|ppo|predict|pretrain|qlora|quick|refine|resume|reward|rloo|rm|rollout|sft|sgd|smoke|stage"
    r"|student|sweep|teacher|test|tun|valid|vision|warm"
)
"""Words in the names of functions and classes that say for what the hyper-parameter is."""


class Conflict(NamedTuple):
    """A default, and an earlier one of the same hyper-parameter that differs."""

    here: Default
    earlier: Default


def is_for_another_role(found: Conflict, source: Source) -> bool:
    """Functions and classes with different roles, such as `train_sft` and `train_dpo`."""
    return _roles(found.here, source) != _roles(found.earlier, source)


def is_another_branch(found: Conflict, source: Source) -> bool:
    """Defaults in the two branches of one `if`."""
    here, earlier = dict(_way(found.here, source)), dict(_way(found.earlier, source))
    return any(here[each] != earlier[each] for each in here.keys() & earlier.keys() - {"def"})


def is_kept_only(found: Conflict, source: Source) -> bool:
    """Files that are put aside, and copies of other projects that nothing uses."""
    del found
    return is_put_aside(source) or is_in_unused_copy(source)


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    return (each.here.match for each in _conflicts(source))


@once_per_file
def _conflicts(source: Source) -> tuple[Conflict, ...]:
    """Return each default with each one above it that differs."""
    above: dict[tuple[str, str], list[Default]] = {}
    found = []
    for each in defaults(source):
        owner = "" if _WHOLE.match(each.owner) else each.owner
        earlier = above.setdefault((each.key, owner), [])
        if each.number is not None:
            found += [Conflict(each, other) for other in earlier if other.number != each.number]
            earlier.append(each)
    return tuple(found)


class ConflictingHyperparameterDefaults(PythonRule["cst.Call"]):
    """One hyper-parameter that is read with two different defaults.

    ## Why it matters
    A configuration that leaves the key out trains with both values: the schedule is computed for
    four accumulated steps, and the optimizer takes one. Nothing fails, and the log shows either.

    Looked at are the usual hyper-parameters of training (learning rate, weight decay, warm-up,
    epochs, accumulation, clipping, LoRA), where one file reads them from a configuration by
    ``.get``, ``.pop`` or ``getattr`` with a number as the default.

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
        words=KEYS,
        suspects=_suspects,
        described="calls of `get`, `pop` and `getattr` that give a hyper-parameter a number as its "
        "default",
    )
    excuses = (is_for_another_role, is_another_branch, is_kept_only)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find defaults that differ from an earlier one in the file."""
        conflicts = _conflicts(source)
        if not conflicts:
            return
        span = source.span(node)
        end = source.offset_of(span.end_line) + span.end_column - 1
        told: set[tuple[str, float | None]] = set()
        for found in conflicts:
            said = (found.here.key, found.here.number)
            if said in told or self.is_excused(found, source):
                continue
            told.add(said)
            if found.here.match.end() != end:
                continue
            here, earlier = found
            line = source.named_line(source.line_of(earlier.match.start()))
            message = (
                f"`{here.key}` defaults to {here.value} here, and to {earlier.value} in {line}"
            )
            help = (
                f"Read `{here.key}` with one default, which is written in one place. "
                "A configuration that leaves it out runs with both values."
            )
            yield self.finding(node, source, message, help=help)


def _way(default: Default, source: Source) -> tuple[tuple[str, str], ...]:
    return ways_to(source).get(source.line_of(default.match.start()), ())


def _roles(default: Default, source: Source) -> set[str]:
    names = (name for kind, name in _way(default, source) if kind == "def")
    return {role for name in names for role in _ROLE.findall(name.lower())}
