"""The matrix of a job in a workflow of GitHub: which combinations of values it runs with."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from rocmlint.formats import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 256
"""Jobs that a matrix of GitHub makes at most."""

_OTHERS = frozenset({"include", "exclude"})
"""Keys of a matrix that are no axes."""

Combination = dict[str, str]


def combinations(job: yaml.Mapping) -> list[Combination]:
    """Give the values of a job's matrix, key by key, for each time that the job runs.

    Empty where it has no matrix, or one that only the run knows. A value that is not plain text is
    left out.
    """
    strategy = job.get("strategy")
    matrix = strategy.get("matrix") if isinstance(strategy, yaml.Mapping) else None
    if not isinstance(matrix, yaml.Mapping):
        return []
    axes = [(key.text, value) for key, value in matrix.pairs if key.text not in _OTHERS]
    if any(not isinstance(value, yaml.Sequence) for _, value in axes):
        return []
    values = [[(key, each) for each in _texts(value)] for key, value in axes]
    found = [dict(each) for each, _ in zip(product(*values), range(_MOST), strict=False)]
    names = [key for key, _ in axes]
    excluded = list(_listed(matrix.get("exclude")))
    original = [each for each in found if not any(_meets(each, one) for one in excluded)]
    found = [dict(each) for each in original] if names else []
    extended = list(zip(found, original, strict=False))
    for added in _listed(matrix.get("include")):
        fitting = [
            combination
            for combination, before in extended
            if all(before.get(key) == value for key, value in added.items() if key in before)
        ]
        for combination in fitting:
            combination.update(added)
        if not fitting:
            found.append(dict(added))
    return [{key: text for key, text in each.items() if "${{" not in text} for each in found]


def _meets(combination: Combination, wanted: Combination) -> bool:
    return all(combination.get(key) == value for key, value in wanted.items())


def _texts(value: yaml.Value) -> Iterator[str]:
    for each in value.values if isinstance(value, yaml.Sequence) else ():
        yield each.text.text if isinstance(each, yaml.Scalar) else "${{"


def _listed(value: yaml.Value | None) -> Iterator[Combination]:
    for each in value.values if isinstance(value, yaml.Sequence) else ():
        if isinstance(each, yaml.Mapping):
            yield {
                key.text: one.text.text for key, one in each.pairs if isinstance(one, yaml.Scalar)
            }
