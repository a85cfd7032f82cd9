"""``verify manifest --functions``: which entries it writes for the replacements in code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.verify.manifest.read import read

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.slow

TARGET = "transformers.models.gemma.modeling_gemma"
HEAD = f"import {TARGET} as gemma\n"
OPS = "def fast(*a): ...\n\ndef make(n):\n    def made(*a): ...\n    return made\n"


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("def fast(*a): ...\ngemma.GemmaMLP.forward = fast\n", "patch.py fast"),
        ("from ops import fast\ngemma.GemmaMLP.forward = fast\n", "ops.py fast"),
        ("import ops\ngemma.GemmaMLP.forward = ops.fast\n", "ops.py fast"),
        ("import ops\nsetattr(gemma.GemmaMLP, 'forward', ops.fast)\n", "ops.py fast"),
        ("from fork import fast\ngemma.GemmaMLP.forward = fast\n", "fork/kernels.py fast"),
        ("from fork.alias import quick\ngemma.GemmaMLP.forward = quick\n", "fork/kernels.py fast"),
        ("from below import fast\ngemma.GemmaMLP.forward = fast\n", "src/below.py fast"),
        ("gemma.GemmaMLP.forward = lambda *a: 1\n", "patch.py "),
        ("import ops\ngemma.GemmaMLP.forward = ops.make(ops.fast)\n", "ops.py "),
        (
            "def install():\n    def inner(*a): ...\n    gemma.GemmaMLP.forward = inner\n",
            "patch.py install.<locals>.inner",
        ),
        ("import ops\ngemma.GemmaMLP.forward = ops.rebound\n", "ops.py "),
        (
            "import ops, torch\ngemma.GemmaMLP.forward = torch.compile(ops.fast)\n",
            "ops.py fast",
        ),
    ],
)
def test_the_file_that_defines_the_new_function_is_named(
    project: Project, code: str, entry: str
) -> None:
    project.write("ops.py", f"{OPS}\ndef other(*a): ...\n\nrebound = make(3)\n")
    project.write("fork/__init__.py", "from .kernels import fast\n")
    project.write("fork/alias.py", "from .kernels import fast as quick\n")
    project.write("fork/kernels.py", OPS)
    project.write("src/below.py", OPS)
    project.write("patch.py", HEAD + code)
    done = project.run("verify", "manifest", "--functions", "patch.py", "--output", "m.toml")
    assert done.returncode == 0, done.stderr
    (found,) = read(str(project.root / "m.toml")).functions
    assert (found.name, f"{found.file} {found.function}") == (
        f"{TARGET}:GemmaMLP.forward",
        entry,
    )


def test_what_cannot_be_written_is_told_with_its_place(project: Project) -> None:
    project.write("ops.py", OPS)
    project.write(
        "patch.py",
        f"{HEAD}import ops\nimport flash_attn\n"
        "gemma.GemmaMLP.forward = flash_attn.forward\n"
        "gemma.GemmaAttention.forward = ops.fast\n",
    )
    named = ("--python", sys.executable)
    done = project.run("verify", "manifest", "--functions", "patch.py", *named)
    assert done.returncode == 0
    assert done.stderr == (
        f"patch.py:4: {TARGET}:GemmaMLP.forward is left out: the file that defines "
        "flash_attn.forward is not in the project\n"
    )
    assert "GemmaAttention.forward" in done.stdout


def test_one_of_two_functions_of_a_file_is_any_code_of_it(project: Project) -> None:
    project.write("ops.py", f"{OPS}\ndef other(*a): ...\n")
    project.write("one.py", f"{HEAD}import ops\ngemma.GemmaMLP.forward = ops.fast\n")
    project.write("two.py", f"{HEAD}import ops\ngemma.GemmaMLP.forward = ops.other\n")
    written = project.run("verify", "manifest", "--functions", ".").stdout
    assert f'name = "{TARGET}:GemmaMLP.forward"\nfile = "ops.py"\n' in written
    assert "function = " not in written


def test_two_different_files_for_one_name_are_left_to_the_author(project: Project) -> None:
    for name in ("one", "two"):
        code = "def fast(*a): ...\n\ngemma.GemmaMLP.forward = fast\n"
        project.write(f"{name}.py", HEAD + code)
    done = project.run("verify", "manifest", "--functions", "one.py", "two.py")
    assert done.returncode == 2
    assert "one.py:4 and two.py:4 set different functions: name one yourself" in done.stderr


def test_a_manifest_beside_the_code_names_files_from_its_own_folder(project: Project) -> None:
    project.write("src/ops.py", OPS)
    project.write("src/patch.py", f"{HEAD}import ops\ngemma.GemmaMLP.forward = ops.fast\n")
    command = ("verify", "manifest", "--functions", "src", "--output")
    assert project.code(*command, "src/m.toml") == 0
    assert read(str(project.root / "src/m.toml")).functions[0].file == "ops.py"
    (project.root / "elsewhere").mkdir()
    done = project.run(*command, "elsewhere/m.toml")
    assert done.returncode == 2
    assert "src/ops.py is not below " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name OVERLAY with --package, or --functions PATH"),
        (("overlay",), "OVERLAY and --package must be used together"),
        (("--package", "a==1", "--functions", "."), "must be used together"),
        (("--functions", "."), "no function of an installed package is replaced"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    project: Project, arguments: tuple[str, ...], said: str
) -> None:
    project.write("a.py", "x = 1\n")
    done = project.run("verify", "manifest", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
