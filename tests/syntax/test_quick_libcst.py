"""LibCST as rocmlint imports it: the same nodes, only not frozen."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from rocmlint.syntax.quick_libcst import plain_nodes

IMPORT = """
from rocmlint.syntax.quick_libcst import plain_nodes
with plain_nodes():
    import libcst
"""
DESCRIBE = """
import dataclasses, inspect
import libcst as cst

nodes = [each for each in vars(cst).values() if inspect.isclass(each)]
for each in (each for each in nodes if issubclass(each, cst.CSTNode)):
    print(each, inspect.signature(each), [field.name for field in dataclasses.fields(each)])
    print(each.__eq__ is cst.CSTNode.__eq__, each.__hash__ is cst.CSTNode.__hash__)
    print(each.__repr__ is cst.CSTNode.__repr__, each.__slots__)
module = cst.parse_module("@a(1)\\nasync def f(x: int = 2, *, y): return [x, f'{y!r}'] # end\\n")
print(module, module.code, module.deep_equals(module.deep_clone()), module == module.deep_clone())
print(module.with_changes(body=[]), len({module, module, module.deep_clone()}))
"""


PARSE = """
def taken(code):
    try:
        return libcst.parse_module(code).code == code
    except (libcst.ParserSyntaxError, libcst.CSTValidationError):
        return False

print([each for each in %r if taken(each)])
"""


def described(before: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", before + DESCRIBE], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_nodes_are_the_same() -> None:
    assert described(IMPORT) == described("") != ""


def test_what_python_refuses_is_refused_though_nodes_are_not_checked() -> None:
    codes = ["'a' b'b'", "f(**a, *b)", "def f(a=1, b): pass", "1 = a", "a b", "not", "x = *"]
    done = subprocess.run(
        [sys.executable, "-c", IMPORT + PARSE % [*codes, "'a' 'b'"]],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(["'a' 'b'"])


def test_dataclasses_of_others_stay_as_they_are_written() -> None:
    with plain_nodes():

        @dataclasses.dataclass(frozen=True)
        class Own:
            name: str

    assert Own("a") == Own("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Own("a").name = "b"  # type: ignore[misc]


def test_dataclasses_are_made_as_before_after_an_error() -> None:
    before = dataclasses.dataclass
    with pytest.raises(ImportError), plain_nodes():
        raise ImportError
    assert dataclasses.dataclass is before
