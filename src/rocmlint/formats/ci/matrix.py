"""The matrix of a job in continuous integration: which combinations of values it runs with.

GitHub, GitLab, CircleCI and Azure each have a way to write one, and a way to use its values.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from rocmlint.formats.readers import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MOST = 256
"""Jobs that a matrix of GitHub makes at most, and combinations of one that are looked at."""

_OTHERS = frozenset({"include", "exclude"})
"""Keys of a matrix that are no axes."""
_OF_CALLS = frozenset({"context", "filters", "name", "requires", "type", "when"})
"""What CircleCI reads itself where a workflow names a job: all else are parameters."""
_LATER = re.compile(r"\$|<<")
"""What stands in a value that only the run knows."""
_USED = re.compile(r"\b((?:matrix|parameters)\.[\w-]+)|\$\{?(\w+)|(\$\([\w.-]+\))")
_NO_NAME = re.compile(r"\W")

Combination = dict[str, str]
Values = dict[str, "str | None"]
"""The values of one run by what stands for them in scripts and images: ``matrix.torch`` on GitHub,
``parameters.torch`` on CircleCI, a variable on GitLab, ``$(torch)`` too on Azure. None is unknown.
"""


def used_in(text: str) -> frozenset[str]:
    """Return what stands in a text for values, that of a matrix or any other."""
    return frozenset(next(filter(None, match.groups())) for match in _USED.finditer(text))


def runs(
    job: yaml.Mapping, called: Mapping[int, list[Values]], used: frozenset[str]
) -> list[Values]:
    """Return the values that are used for each time that a job runs, once each.

    ``called`` are those that CircleCI's workflows call jobs with, see :func:`calls`. A job without
    a matrix runs once, without values.
    """
    of_github: list[Values] = [
        {f"matrix.{key}": value for key, value in each.items()} for each in combinations(job)
    ]
    found = of_github or list(_of_gitlab(job)) or list(_of_azure(job)) or called.get(id(job), [])
    asked = [{key: value for key, value in each.items() if key in used} for each in found]
    return [each for at, each in enumerate(asked) if each not in asked[:at]] or [{}]


def calls(document: yaml.Value) -> dict[int, list[Values]]:
    """Return the parameters that CircleCI's workflows call each job with, by the job's identity."""
    found: dict[int, list[Values]] = {}
    jobs = _below(document, "jobs")
    for _, workflow in _pairs(_below(document, "workflows")):
        for call in _items(_below(workflow, "jobs")):
            given = dict(_pairs(call))
            for name in given or (_text(call),):
                job = _below(jobs, name)
                if job is not None:
                    found.setdefault(id(job), []).extend(_called(job, given.get(name)))
    return found


def _called(job: yaml.Value, given: yaml.Value | None) -> Iterator[Values]:
    """Yield the parameters of one call of a job, over those that it has without any."""
    values = {
        key: _text(default)
        for key, each in _pairs(_below(job, "parameters"))
        if (default := _below(each, "default")) is not None
    }
    values.update((key, _text(each)) for key, each in _pairs(given) if key not in _OF_CALLS)
    matrix = _below(given, "matrix")
    excluded = list(_listed(_below(matrix, "exclude")))
    for each in _product(_pairs(_below(matrix, "parameters"))):
        if not any(_meets(each, one) for one in excluded):
            yield {f"parameters.{key}": _known(text) for key, text in {**values, **each}.items()}


def _of_gitlab(job: yaml.Mapping) -> Iterator[Values]:
    """Yield the variables that ``parallel: matrix:`` sets: each of the list is a matrix."""
    for matrix in _items(_below(job.get("parallel"), "matrix")):
        for each in _product(_pairs(matrix)):
            yield {key: _known(text) for key, text in each.items()}


def _of_azure(job: yaml.Mapping) -> Iterator[Values]:
    """Yield the variables of ``strategy: matrix:``: each combination has a name.

    A script has them in its environment as well, in capitals.
    """
    pairs = _pairs(_below(job.get("strategy"), "matrix"))
    if all(isinstance(value, yaml.Mapping) and key not in _OTHERS for key, value in pairs):
        for _, combination in pairs[:_MOST]:
            values = {key: _known(_text(each)) for key, each in _pairs(combination)}
            in_scripts = {_NO_NAME.sub("_", key).upper(): text for key, text in values.items()}
            yield {**in_scripts, **{f"$({key})": text for key, text in values.items()}}


def combinations(job: yaml.Mapping) -> list[Combination]:
    """Return the values of a job's matrix on GitHub, key by key, for each time that the job runs.

    Empty where it has no matrix, or one that only the run knows. A value that is not plain text is
    left out.
    """
    matrix = _below(job.get("strategy"), "matrix")
    if not isinstance(matrix, yaml.Mapping):
        return []
    axes = [(key.text, value) for key, value in matrix.pairs if key.text not in _OTHERS]
    if any(not isinstance(value, yaml.Sequence) for _, value in axes):
        return []
    found = list(_product(axes))
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


def _product(axes: Iterable[tuple[str, yaml.Value]]) -> Iterator[Combination]:
    """Yield the combinations of the values of all axes; one value needs no list."""
    values = [[(key, _text(each)) for each in _items(value) or (value,)] for key, value in axes]
    for each, _ in zip(product(*values), range(_MOST), strict=False):
        yield dict(each)


def _listed(value: yaml.Value | None) -> Iterator[Combination]:
    for each in _items(value):
        if isinstance(each, yaml.Mapping):
            yield {key: _text(one) for key, one in _pairs(each) if isinstance(one, yaml.Scalar)}


def _below(value: yaml.Value | None, key: str) -> yaml.Value | None:
    return value.get(key) if isinstance(value, yaml.Mapping) else None


def _pairs(value: yaml.Value | None) -> list[tuple[str, yaml.Value]]:
    found = value.pairs if isinstance(value, yaml.Mapping) else ()
    return [(key.text, each) for key, each in found]


def _items(value: yaml.Value | None) -> tuple[yaml.Value, ...]:
    return value.values if isinstance(value, yaml.Sequence) else ()


def _text(value: yaml.Value | None) -> str:
    """Return what is plain text; all else is known as little as an expression."""
    return value.text.text if isinstance(value, yaml.Scalar) else "${{"


def _known(text: str) -> str | None:
    return None if _LATER.search(text) else text
