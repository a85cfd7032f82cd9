"""Loading rocmlint in an interpreter where it is not installed."""

from __future__ import annotations

import os
import subprocess
import sys

import rocmlint
from rocmlint.interpreter.ask import INSIDE, LOAD_INSIDE, NAME_INSIDE

BEGIN = f"{LOAD_INSIDE}\nload_inside({INSIDE!r})\nimport {NAME_INSIDE}.own_package as own\n"


def ran(code: str) -> str:
    """Run code after the package ``inside`` was loaded, without any installed package."""
    command = [sys.executable, "-I", "-S", "-c", BEGIN + code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_package_is_the_one_that_asks() -> None:
    found = ran("own.load(); import rocmlint.export.agreement as it; print(it.__file__)")
    assert found.startswith(os.path.dirname(rocmlint.__file__))


def test_nothing_beside_the_package_can_be_imported() -> None:
    assert ran("before = sys.path[:]; own.load(); print(sys.path == before)") == "True"


def test_another_rocmlint_that_is_loaded_gives_way() -> None:
    code = "import types; sys.modules['rocmlint'] = types.ModuleType('rocmlint'); own.load(); "
    assert ran(f"{code}import rocmlint; print(rocmlint.__version__)") == rocmlint.__version__
