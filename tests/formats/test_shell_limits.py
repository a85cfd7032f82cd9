"""Scripts for which the parser of shells would take minutes or gigabytes: refused by their text."""

from __future__ import annotations

import pytest

from rocmlint.formats import parse

TOO_MUCH = {
    "pipes": "a | " * 300,
    "pipes over lines": "a |\n" * 300,
    "many short pipelines of a long script": ("a | " * 200 + "\n") * 1000,
    "functions without a body": "f() " * 300,
    "brackets that open": "a=(" * 5000,
    "brackets that close": ")" * 5000,
    "some brackets of a long script": ")" * 2000 + "\n" + "a\n" * 50_000,
    "here-documents": "<<EOF\n" * 2000,
    "NUL": "\0" * 5000,
}


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_script_that_takes_its_parser_too_long_is_one_problem(kind: str) -> None:
    parts = parse("a.sh", f"pip install torch\n{TOO_MUCH[kind]}\n")
    assert len(parts.problems) == 1
    assert not parts.commands


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_script_in_another_file_is_left_out(kind: str) -> None:
    script = TOO_MUCH[kind].replace("\0", "|").replace("\n", " |\n    ")
    text = f"test:\n  script:\n  - pip install a\n  - |\n    {script}\n"
    assert len(parse(".gitlab-ci.yml", text).commands) <= 1


CASES = "\n".join(f"  a{n}) pip install a{n} | tee log ;;" for n in range(300))


def test_long_scripts_that_somebody_may_write_are_read() -> None:
    text = f"case $1 in\n{CASES}\nesac\n" + "echo a | grep -E 'a|b|c'\n" * 3000
    parts = parse("a.sh", text)
    assert not parts.problems
    assert len(parts.commands) == 300 * 2 + 3000 * 2
