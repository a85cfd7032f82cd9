"""The file of ``stack freeze``: what is written, what is read, and what is not overwritten."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.interpreter.ask import Interpreter
from rocmlint.interpreter.inside.packages.distributions import digest_of_record
from rocmlint.stack.recorded.state import StateError, freeze, read_state, write_state
from tests.support.frozen import Stack, replaced_by_vllm
from tests.support.stacks import FakeEnvironment

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.slow

EMPTY = (
    '{"version": 1, "made": "", "executable": "", "python": "", "rocm": "", '
    '"torch": %s, "distributions": [%s]}'
)


def test_freeze_does_not_lose_the_build_that_was_written_down(stack: Stack) -> None:
    before = stack.project.read("rocm-stack.json")
    replaced_by_vllm(stack)
    ended = stack.run("freeze")
    assert ended.returncode == 2
    assert "records a different torch (2.10.0+rocm7.1" in ended.stderr
    assert stack.project.read("rocm-stack.json") == before
    assert stack.run("freeze", "--force").returncode == 0


def test_one_package_is_counted_as_one(project: Project) -> None:
    packages = FakeEnvironment(project.root / "venv")
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    ended = project.run("stack", "freeze", "--python", str(packages.python))
    assert "built for ROCm 7.1; 1 package.\n" in ended.stdout


def test_freeze_does_not_lose_other_files_of_the_same_version(stack: Stack) -> None:
    record = stack.packages.site / "torch-2.10.0+rocm7.1.dist-info" / "RECORD"
    record.write_text("torch/version.py,sha256=other,1\n")
    now = freeze(Interpreter(str(stack.packages.python)))
    path = str(stack.project.root / "rocm-stack.json")
    with pytest.raises(StateError, match="records a different torch"):
        write_state(now, path)
    write_state(now, path, force=True)
    assert read_state(path) == now


def test_freeze_leaves_a_file_of_something_else_alone(project: Project) -> None:
    project.write("package.json", '{"name": "mine"}')
    ended = Stack(project).run("freeze", "package.json")
    assert ended.returncode == 2
    assert project.read("package.json") == '{"name": "mine"}'


def test_freeze_without_torch_says_so(project: Project) -> None:
    stack = Stack(project)
    stack.remove("torch")
    shutil.rmtree(stack.packages.site / "torch")
    ended = stack.run("freeze")
    assert ended.returncode == 3
    assert "torch is not installed" in ended.stdout


def test_freeze_where_nobody_can_write_is_one_line(project: Project) -> None:
    ended = Stack(project).run("freeze", "no/such/folder/stack.json")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)


def test_a_file_of_another_format_says_who_can_read_it(stack: Stack) -> None:
    state = json.loads((stack.project.root / "rocm-stack.json").read_text())
    stack.project.write("rocm-stack.json", json.dumps({**state, "version": 2}))
    ended = stack.run("survived")
    assert ended.returncode == 2
    assert (
        "its format has version 2, but this version of rocmlint reads version 1: use the rocmlint"
        in ended.stderr
    )


def test_what_was_written_is_what_is_read(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(stack.project.root)
    now = freeze(Interpreter(str(stack.packages.python)))
    state = read_state("rocm-stack.json")
    assert state is not None
    assert (state.torch, state.distributions) == (now.torch, now.distributions)
    assert "torch==2.10.0+rocm7.1" in state.requirements


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 2}',
        '{"version": 1, "torch": null}',
        "[" * 100_000,
        EMPTY % ('{"hip": "7.1"}', ""),
        EMPTY % ("3", ""),
        EMPTY % ("null", "1"),
    ],
)
def test_a_file_that_is_no_state_is_told_in_a_line(stack: Stack, text: str) -> None:
    stack.project.write("rocm-stack.json", text)
    ended = stack.run("survived")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: rocm-stack.json: not a file of rocmlint stack freeze")
    assert len(ended.stderr.splitlines()) == 1


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | (
                st.dictionaries(
                    st.sampled_from(["version", "torch", "made", "distributions"]), inner
                )
            )
        ),
    )
)
def test_any_json_is_a_state_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, document: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(document))
    with pytest.raises(StateError):
        read_state(str(path))


@given(st.lists(st.text("ab/._-", min_size=1), unique=True))
def test_a_digest_does_not_depend_on_the_order_of_the_record(paths: list[str]) -> None:
    rows = [f"pkg/{path},sha256={path},1\n" for path in paths]
    assert digest_of_record("".join(rows)) == digest_of_record("".join(reversed(rows)))
