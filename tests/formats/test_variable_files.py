"""The variables that .env files, units, module files and easyconfigs set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats import parse
from rocmlint.text.secrets import with_starred_values

if TYPE_CHECKING:
    from tests.support.project import Project


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        (
            ".env",
            "# é\nA=1\nexport B='x y' # c\n#C=2\n D = \"z\"\n",
            [("A", "1", 2, 1), ("B", "x y", 3, 8), ("D", "z", 5, 2)],
        ),
        (
            "a.service",
            '[Service]\nEnvironment=A=1 "B=x y"\nEnvironmentFile=/etc/x\n',
            [("A", "1", 2, 13), ("B", "x y", 2, 18)],
        ),
        (
            "a.service",
            "Environment=A=1 \\\n  C=2\nExecStart=env D=3\n",
            [("A", "1", 1, 13), ("C", "2", 2, 3)],
        ),
        (
            "a.lua",
            "setenv('A', \"1\")\n-- setenv('B', '2')\nsetenv('C', base)\n  pushenv('D','x')\n",
            [("A", "1", 1, 9), ("D", "x", 4, 12)],
        ),
        (
            "a.service.d/b.conf",
            "[Service]\nEnvironment=A=1\n",
            [("A", "1", 2, 13)],
        ),
        (
            "a.tcl",
            "#%Module1.0\nsetenv A 1 ;# c\n#setenv B 2\n pushenv C {x y}\nset setenv D\n",
            [("A", "1", 2, 8), ("C", "x y", 4, 10)],
        ),
        (
            "a.eb",
            "toolchain = SYSTEM\nmodextravars = {'A': '1',\n 'é': 'y', 'B': 2}\nx = {'C': '3'}\n",
            [("A", "1", 2, 22), ("é", "y", 3, 7)],
        ),
        ("a.eb", "modextravars = {", []),
    ],
)
def test_what_is_set_has_its_place(
    name: str, text: str, settings: list[tuple[str, str, int, int]]
) -> None:
    found = parse(name, text).settings
    assert [
        (each.name, each.value.text if each.value else None, each.span.line, each.span.column)
        for each in found
    ] == settings


def test_a_value_with_another_variable_is_unknown() -> None:
    (setting,) = parse(".env", "A=${B}/x\n").settings
    assert setting.value is not None
    assert not setting.value.known


def test_a_wrong_value_is_found_in_each(project: Project) -> None:
    name, value = "HSA_OVERRIDE_GFX_VERSION", "gfx90a"
    texts = {
        "job.env": f"{name}={value}\n",
        "job.service": f"Environment={name}={value}\n",
        "mod.lua": f'setenv("{name}", "{value}")\n',
        "rocm/6.2.0": f"#%Module1.0\nsetenv {name} {value}\n",
        "torch.eb": f"modextravars = {{'{name}': '{value}'}}\n",
    }
    for path, text in texts.items():
        project.write(path, text)
    assert project.findings() == [(path, "ROC315") for path in texts]


def test_a_file_of_variables_does_not_say_what_the_project_is_for(project: Project) -> None:
    project.write("Dockerfile", "FROM rocm/pytorch\n")
    project.write("job.env", "IMAGE=nvidia/cuda:12.1\n")
    assert "for ROCm (Dockerfile:1)" in project.run().stderr


@pytest.mark.parametrize(
    ("line", "place", "shown"),
    [
        ("KEY=abc d", (0, 0), "KEY=*** *"),
        ("A=1 B=2 # c", (4, 7), "A=* B=2 * *"),
        ("A=1 # c", (0, 3), "A=1 * *"),
        ("abc", (0, 0), "***"),
    ],
)
def test_values_are_masked_and_columns_stay(line: str, place: tuple[int, int], shown: str) -> None:
    assert with_starred_values(line, *place) == shown
