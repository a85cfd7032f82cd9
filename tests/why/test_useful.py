"""Actions that would change nothing, or that failed already, are left out of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.gpus.machine import Machine
from rocmlint.why.answer import Action, Explanation
from rocmlint.why.facts.context import Context
from rocmlint.why.log.log_reader import read_text
from rocmlint.why.useful import useful
from tests.support.fake_site import FakeSite

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGES = {"torch": "2.8.0a0+gitba56102", "transformers": "4.48.0", "numpy": "1.26.4"}


def _left(action: Action, folder: Path, message: str = "") -> str:
    site = FakeSite(folder, _PACKAGES)
    context = Context(
        read_text(message),
        str(site.project),
        str(site.prefix / "bin" / "python"),
        is_given=True,
        machine=Machine(str(folder), {"NCCL_SOCKET_IFNAME": "eth0"}),
    )
    shown = Explanation("entry", "known", "cause", actions=(action,), message=message)
    return "".join(each.text for each in useful(shown, context).actions)


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("use torch 2.8 or later, or a build of AMD's index", "use a build of AMD's index"),
        ("install transformers 4.48 or later, or clone the mask first", "clone the mask first"),
        ("cast the mask, or install torch 2.7 or later for this ROCm", "cast the mask"),
        ("install transformers 4.45 or later, which takes tokenizers 0.20 with it", ""),
        ("or install torch 2.3 or newer", ""),
        ("install transformers 4.49 or later, or wait", None),
        ("install accelerate 1.0 or later, or wait", None),
        ("use a torch for ROCm 7.2 or later", None),
    ],
)
def test_a_release_that_is_installed_is_no_advice(
    sentence: str, left: str | None, tmp_path: Path
) -> None:
    assert _left(Action(sentence), tmp_path) == (sentence if left is None else left)


@pytest.mark.parametrize(
    ("command", "does_something"),
    [
        ("python -m pip install 'numpy<2'", False),
        ("python -m pip install --no-deps 'transformers>=4.46'", False),
        ("python -m pip install 'transformers>=4.49,<4.50'", True),
        ("python -m pip install 'numpy<2' peft", True),
        ("python -m pip install --force-reinstall --no-deps transformers==4.48.0", True),
        ("python -m pip install -e .", True),
        ("python -m pip install 'transformers[torch]'", True),
        ("python -m pip uninstall numpy", True),
        ("export NCCL_SOCKET_IFNAME=eth0", False),
        ("export NCCL_SOCKET_IFNAME=eth1", True),
        ("export TRITON_HIP_LLD_PATH=/opt/rocm/llvm/bin/ld.lld", False),
        ("export ROCM_PATH=/opt/rocm", True),
        ("export AMD_SERIALIZE_KERNEL=3", True),
    ],
)
def test_a_command_does_something_that_was_not_tried(
    command: str, *, does_something: bool, tmp_path: Path
) -> None:
    message = "linker /opt/rocm/llvm/bin/ld.lld not found; consider passing AMD_SERIALIZE_KERNEL=3"
    left = _left(Action(command, is_command=True), tmp_path, message)
    assert left == (command if does_something else "")


def test_the_other_variables_of_a_command_stay(tmp_path: Path) -> None:
    action = Action("export NCCL_DEBUG=WARN NCCL_SOCKET_IFNAME=eth0", is_command=True)
    assert _left(action, tmp_path) == "export NCCL_DEBUG=WARN"


def test_a_newer_release_is_one_that_fits(tmp_path: Path) -> None:
    action = Action("python -m pip install 'transformers>=4.49'", is_command=True)
    assert _left(action, tmp_path) == "python -m pip install 'transformers>=4.49,<4.50'"


@pytest.mark.parametrize(
    ("required", "first"),
    [
        ("datasets==3.6.0", "pip install datasets==3.6.0"),
        ("datasets<3", "pip install 'datasets<3'"),
        ("datasets==4.1.0", ""),
        ("datasets", ""),
    ],
)
def test_what_the_project_requires_comes_first_where_it_is_among_what_is_advised(
    required: str, first: str, tmp_path: Path
) -> None:
    site = FakeSite(tmp_path, {"datasets": "4.0.0"})
    site.write("PROJECT/requirements.txt", f"{required}\n")
    prefix = str(site.prefix / "bin" / "python")
    context = Context(read_text(""), str(site.project), prefix, is_given=True)
    action = Action("install the last release that runs scripts: 'datasets<4'")
    shown = Explanation("entry", "known", "cause", actions=(action,))
    found = [each.text.partition(" -m ")[2] for each in useful(shown, context).actions]
    assert found == ([first, ""] if first else [""])


def test_packages_of_rocmlint_alone_judge_no_advice(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"numpy": "1.26.4"})
    prefix = str(site.prefix / "bin" / "python")
    context = Context(read_text(""), str(site.project), prefix, is_assumed=True)
    actions = (Action("python -m pip install 'numpy<2'", is_command=True),)
    shown = Explanation("entry", "known", "cause", actions=actions)
    assert useful(shown, context).actions == actions
