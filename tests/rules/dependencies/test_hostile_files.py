"""Requirements that nobody would write: each is a finding or nothing, never an internal error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter
from tests.support.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

NESTED = f'{"(" * 1200}python_version > "3"{")" * 1200}'
CONFLICT = "torch==2.4.1\ntransformers==5.23.0\n"


def problems(repository: Repository, name: str, text: str) -> list[str]:
    file = repository.write(name, text)
    settings = Configuration({"rocm": True, "preview": True}).settings_for(str(repository.root))
    return list(Linter(settings).lint_text(str(file), text).problems)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", f"{CONFLICT}-r \0\n-c a\0b\n--index-url \0\n"),
        ("requirements.txt", f'{CONFLICT}trl; os_name == "a\rb"\naccelerate; os_name == "\r"\n'),
        ("requirements.txt", 'torch==2.4.1; "a" ~= "b"\ntransformers==5.23.0; "a" < "b"\n'),
        ("requirements.txt", 'torch==2.4.1; platform_release >= "a"\ntransformers==5.23.0\n'),
        ("setup.cfg", "[options]\ninstall_requires =\n  file: \0\n  torch==2.4.1 ; 'a' ~= 'b'\n"),
        ("setup.cfg", "[]\n[options]\n=\n:\n%(x)s = 1\ninstall_requires =\x1c torch\n\x85a=1\n"),
        ("Dockerfile", "FROM rocm/pytorch\nWORKDIR \0\nCOPY . \0\nRUN pip install -r \0 torch\n"),
        ("Dockerfile", 'FROM rocm/pytorch\nRUN pip install \'vllm==0.11.2; "a" ~= "b"\' torch\n'),
        ("Dockerfile", f"FROM rocm/pytorch\nWORKDIR {'a/' * 5000}\nRUN pip install -r a.txt\n"),
        ("Dockerfile", "FROM a\nCOPY\nCOPY a\nADD []\nRUN --mount=type=bind,, pip install torch\n"),
        (
            "install.sh",
            "cd ''\ncd --\npushd\npopd\ncd -\npip install -r '' -r \0 -e '.[a]' torch\n",
        ),
        (
            ".github/workflows/a.yml",
            (
                'extends: {a: b}\ndocker: [a]\ndefaults: {run: [a]}\nworking-directory: "\\0"\n'
                'steps: [{run: "pip install -r \\0 torch", working-directory: [a]}]\n'
            ),
        ),
        ("requirements.txt", f"torch=={'9' * 5000}\ntransformers==5.23.0\n"),
        ("pyproject.toml", f'[tool.poetry.dependencies]\nx = "^{"9" * 5000}"\ntorch = "^2"\n'),
    ],
)
def test_no_rule_fails_on_a_file(tmp_path: Path, name: str, text: str) -> None:
    found = problems(Repository(tmp_path / "repository"), name, text)
    assert [each for each in found if "internal error" in each] == []


def test_a_lock_whose_markers_nest_too_deep_locks_nothing(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    marker = NESTED.replace('"', "'")
    repository.write("pyproject.toml", '[project]\nname = "a"\n')
    repository.write(
        "uv.lock",
        '[[package]]\nname = "a"\nsource = { virtual = "." }\n'
        f'dependencies = [{{ name = "torch", marker = "{marker}" }}]\n'
        '[[package]]\nname = "torch"\nversion = "2.9.1"\n',
    )
    assert problems(repository, "Dockerfile", "FROM rocm/pytorch\nRUN uv sync\n") == []
