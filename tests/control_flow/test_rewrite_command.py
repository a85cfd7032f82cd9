"""``rocmlint export rewrite``: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from rocmlint.models.control_flow.refusals import KINDS
from tests.control_flow.test_rewrite import CLAMP, model

if TYPE_CHECKING:
    import subprocess

    from tests.support.project import Project

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "schema" / "export-rewrite.json"
PAGE = ROOT / "docs" / "export" / "rewrite.md"
REFUSED = model("if x.any():\n    return x\nreturn x + 1")


def rewrite(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return project.run("export", "rewrite", *arguments)


def test_nothing_is_written_without_being_asked(project: Project) -> None:
    path = project.write("layer.py", model(CLAMP))
    done = rewrite(project, str(path))
    assert done.returncode == 1
    assert f"{path}:14: branch in Layer.forward is rewritten\n" in done.stdout
    assert "Would rewrite 1 statement in 1 file; refused 0.\n" in done.stdout
    assert project.read("layer.py") == model(CLAMP)


def test_a_diff_is_what_patch_takes(project: Project) -> None:
    path = project.write("layer.py", model(CLAMP))
    done = rewrite(project, "--diff", str(path))
    assert done.returncode == 1
    assert done.stdout.startswith(f"--- {path}\n+++ {path}\n")
    assert "+import rocmlint.export\n" in done.stdout
    assert "Would rewrite 1 statement" in done.stderr


def test_written_once_nothing_is_left_to_do(project: Project) -> None:
    path = project.write("layer.py", model(CLAMP))
    assert rewrite(project, "--write", str(path)).returncode == 0
    after = project.read("layer.py")
    assert "rocmlint.export.cond(" in after
    again = rewrite(project, "--write", str(path))
    assert again.returncode == 0
    assert project.read("layer.py") == after


def test_encoding_and_line_ends_stay(project: Project) -> None:
    path = project.write("layer.py", "")
    text = "# -*- coding: latin-1 -*-\n# é\n" + model(CLAMP)
    path.write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    assert rewrite(project, "--write", str(path)).returncode == 0
    after = path.read_bytes()
    assert b"# \xe9\r\n" in after
    assert after.count(b"\n") == after.count(b"\r\n")


def test_refusals_are_listed_with_their_reasons(project: Project) -> None:
    path = project.write("layer.py", REFUSED)
    done = rewrite(project, "--refused", str(path))
    assert done.returncode == 0
    assert f"{path}:13: branch in Layer.forward is refused: only one path returns" in done.stdout
    assert "only one path returns [unsupported-statement]" in done.stdout


def test_json_is_as_its_schema_says(project: Project) -> None:
    path = project.write("layer.py", model(CLAMP) + "\n    def f(self):\n        pass\n")
    other = project.write("other.py", REFUSED)
    done = rewrite(project, "--output-format", "json", str(path), str(other))
    document = json.loads(done.stdout)
    validate(document, json.loads(SCHEMA.read_text()))
    found = [each for file in document["files"] for each in file["statements"]]
    assert [(each["rewritten"], each["reason"]) for each in found] == [
        (True, None),
        (False, "unsupported-statement"),
    ]


def test_a_class_is_found_without_importing_its_module(project: Project) -> None:
    project.write("package/__init__.py", "raise SystemExit")
    project.write("package/layer.py", model(CLAMP) + "\nclass Other(Layer):\n    pass\n")
    done = rewrite(project, "package.layer:Layer")
    assert done.returncode == 1
    assert "layer.py:14: branch in Layer.forward is rewritten" in done.stdout


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("package.layer:Leyer", "defines no Leyer; did you mean 'Layer'?"),
        ("package.missing:Layer", "package.missing: no such module"),
        ("missing.py", "missing.py: no such file or directory"),
        ("broken.py", "this is not valid Python"),
    ],
)
def test_what_cannot_be_done_is_an_error(project: Project, argument: str, said: str) -> None:
    project.write("package/layer.py", model(CLAMP))
    project.write("broken.py", "import torch\ndef f(:\n")
    done = rewrite(project, argument)
    assert done.returncode == 2
    assert said in done.stdout + done.stderr


def test_each_changed_function_is_dumped(project: Project) -> None:
    path = project.write("layer.py", model(CLAMP))
    rewrite(project, "--dump", str(project.root / "dump"), str(path))
    assert project.read("dump/layer.Layer.forward.original.py").startswith("    def forward(")
    assert "rocmlint.export.cond" in project.read("dump/layer.Layer.forward.rewritten.py")
    assert "+        def then_1(x):\n" in project.read("dump/layer.Layer.forward.diff")


def test_the_page_explains_each_reason() -> None:
    page = PAGE.read_text()
    assert [each for each in KINDS if f"`{each}`" not in page] == []
