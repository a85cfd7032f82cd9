"""Keys of thousands of parts, for which Python's parser takes minutes and gigabytes."""

from __future__ import annotations

import pytest

from rocmlint.formats import parse
from rocmlint.text.toml import loads


@pytest.mark.parametrize(
    "line",
    ["{} = 1", "[{}]", "[[ {} ]]", "a = {{ {} = 1 }}", "a = {{ b = 1, {} = 1 }}", "  {}.'b' = 1"],
)
@pytest.mark.parametrize("part", ["a", '"a"', "'a' ", '"\\"" '])
def test_a_key_of_many_parts_is_refused_where_it_stands(line: str, part: str) -> None:
    text = "b = 1\n" + line.format(".".join([part] * 5000)) + "\n"
    with pytest.raises(RecursionError, match=r"^nested too deeply \(at line 2, column 1\)\Z"):
        loads(text)
    (problem,) = parse("pyproject.toml", text).problems
    assert (problem.line, problem.reason) == (2, "not valid TOML: nested too deeply")


@pytest.mark.parametrize("line", ["{} = 1", "[{}]", "a = {{ {} = 1 }}"])
def test_a_key_of_a_hundred_parts_is_read(line: str) -> None:
    assert loads(line.format(".".join("a" * 100)))


def test_points_in_a_value_are_no_key() -> None:
    value = ".".join(["1"] * 200)
    assert loads(f"a = '{value}'\nb = ['x {value}']  # {value}\n")["a"] == value


@pytest.mark.parametrize(("left", "right"), [("[", "]"), ("{a=", "}")])
def test_brackets_that_nest_deep_are_one_problem(left: str, right: str) -> None:
    for depth in (5, 50, 200, 300, 400, 450, 480, 500, 1000, 5000):
        text = f"a = {left * depth}1{right * depth}\n"
        reasons = [each.reason for each in parse("pyproject.toml", text).problems]
        assert reasons in ([], ["not valid TOML: nested too deeply"], ["nested too deeply"])
