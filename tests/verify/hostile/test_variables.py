"""What programs make of a variable in odd ways, and what is said of that without running them.

The truth is what each program does when it runs: with the value, with the opposite, and without.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.variables import Case, parse, ran, truth, verdict, write

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

FOLDER = Path(__file__).parent
FILES = "variables.txt", "variables_set.txt", "variables_more.txt", "variables_hard.txt"
CASES = [case for name in FILES for case in parse((FOLDER / name).read_text())]
_OPPOSITE = {"1": "0", "0": "1", "True": "False", "False": "True", "true": "false", "false": "true"}


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    """Run each program three times; give its folder, and what it took the variable for."""
    root = tmp_path_factory.mktemp("programs")
    folders = [write(case, root / case.name) for case in CASES]
    values = [(case.value, _OPPOSITE.get(case.value, "0"), None) for case in CASES]
    asked = [(folder, each) for folder, some in zip(folders, values, strict=True) for each in some]
    answers = ran(asked)
    return {
        case.name: (folder, answers[3 * at : 3 * at + 3])
        for at, (case, folder) in enumerate(zip(CASES, folders, strict=True))
    }


@pytest.mark.verdict
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_program_makes_of_a_variable(
    case: Case, taken: dict[str, tuple[Path, list[str]]], judged: Judged
) -> None:
    folder, (with_it, with_opposite, without) = taken[case.name]
    found, told = verdict(case.value, folder)
    print(with_it, with_opposite, without, told)  # noqa: T201 - of a case that fails
    so = truth(case.value, with_it, with_opposite, without)
    needless = case.expected == "unproven"
    judged("variables", "open" if case.expected == "open" else so, found, needless=needless)
    if case.expected and case.expected != "open":
        assert found == case.expected
    elif so == "broken":
        assert found == "contradicted"
