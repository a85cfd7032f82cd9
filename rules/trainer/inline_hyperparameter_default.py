"""ROC705, inline-hyperparameter-default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import Option, PythonRule, nodes

from ._defaults import QUOTED, defaults

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    return (each.match for each in defaults(source))


class InlineHyperparameterDefault(PythonRule["cst.Call"]):
    """Hyper-parameter has a literal default where it is read.

    ## Why it matters
    A key that is missing or misspelled in the configuration is not noticed: the run trains with a
    number that stands somewhere in the code, and the configuration that is saved beside the
    checkpoint does not say which.

    That is a policy that a project decides on, so the rule reports only where ``forbid`` is set.
    Two different defaults for one key are reported everywhere by
    conflicting-hyperparameter-defaults (ROC706).

    ## Example
    ```toml title="rocmlint.toml"
    [inline-hyperparameter-default]
    forbid = true
    ```
    ```python
    def make_optimizer(parameters, config, adam):
        return adam(parameters, lr=config.get("learning_rate", 2e-4))
    ```

    ## Use instead
    Read the key as it is, so that a missing one ends the run.
    ```toml title="rocmlint.toml"
    [inline-hyperparameter-default]
    forbid = true
    ```
    ```python
    def make_optimizer(parameters, config, adam):
        return adam(parameters, lr=config["learning_rate"])
    ```

    ## Options
    - ``forbid``: report hyper-parameters that have a literal default in the code.

    ## References
    - https://docs.python.org/3/library/dataclasses.html
    """

    code = "ROC705"
    name = "inline-hyperparameter-default"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "forbid": Option(
            "boolean", False, "report hyper-parameters that have a literal default in the code"
        ),
    }
    needs = "forbid"
    on = nodes(
        "Call",
        words=QUOTED,
        suspects=_suspects,
        described="calls of `get`, `pop` and `getattr` that give a hyper-parameter a number as its "
        "default",
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find hyper-parameters that are read with a default, where the project wants none."""
        span = source.span(node)
        end = source.offset_of(span.end_line) + span.end_column - 1
        for found in defaults(source):
            if found.match.end() == end:
                message = f"`{found.key}` has the default {found.value} in the code"
                help = f"Read `{found.key}` without one, and write it in the configuration."
                yield self.finding(node, source, message, help=help)
