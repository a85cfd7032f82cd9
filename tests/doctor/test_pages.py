"""Pages of whole machines: fresh, healthy, an image of ROCm, and torch for the wrong one."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]
import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.doctor.causes import Cause, CausePlace, Findings, Page
from rocmlint.doctor.examine import ExaminedSubject, examine
from rocmlint.doctor.report import MOST_LINES, json_of, lines_of
from rocmlint.interpreter.choose import Chosen
from rocmlint.verify.result import Evidence
from tests.support.stacks import ROCMINFO

if TYPE_CHECKING:
    from tests.support.stacks import FakeEnvironment, FakeMachine

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/doctor.json").read_text())


def page_of(
    project: Path,
    python: Path,
    here: FakeMachine,
    *,
    seconds: float = 60,
    is_own: bool = False,
) -> Page:
    chosen = Chosen(str(python), "runs rocmlint itself" if is_own else "--python", is_own)
    subject = ExaminedSubject(str(project), chosen, Configuration({}), seconds, here.machine)
    page = examine(subject).page
    jsonschema.validate(json.loads(json_of(page)), SCHEMA)
    return page


def ids(page: Page) -> list[str]:
    return [each.id for each in page.causes]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make an empty repository."""
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def mi300(here: FakeMachine) -> FakeMachine:
    """Make a machine with two MI300X and ROCm 7.1."""
    here.file("/opt/rocm/.info/version", "7.1.0-98\n")
    here.program("rocminfo", ROCMINFO)
    return here


def test_a_machine_on_which_all_is_right(
    packages: FakeEnvironment, project: Path, mi300: FakeMachine
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    (packages.site / "torch/lib/libamdhip64.so").unlink()  # it has no code
    (project / "pyproject.toml").write_text(
        '[project]\nname = "job"\nversion = "1"\ndependencies = ["torch==2.10.0"]\n'
    )
    (project / "train.py").write_text("import torch\n\nprint(torch.__version__)\n")
    page = page_of(project, packages.python, mi300)
    assert (page.found.causes, page.found.unanswered) == ([], [])
    assert page.exit_code == 0
    assert lines_of(page, verbose=False, color=False)[-1].startswith("right: ")


def test_a_project_without_anything_to_check_says_so(
    packages: FakeEnvironment, project: Path, here: FakeMachine
) -> None:
    page = page_of(project, packages.python, here)
    assert page.exit_code == 3
    assert page.found.unanswered[0].startswith("nothing to check: the project declares no package")


def test_a_fresh_machine_lacks_what_the_project_requires(
    packages: FakeEnvironment, project: Path, here: FakeMachine
) -> None:
    (project / "requirements.txt").write_text("torch==2.9.1\nnumpy\n")
    page = page_of(project, packages.python, here)
    missing = [each.subject for each in page.causes if each.id == "missing-package"]
    assert missing == ["numpy", "torch"]
    assert (page.facts["GPU"], page.facts["torch"]) == ("none found", "not installed")
    of_torch = next(each for each in page.causes if each.subject == "torch")
    assert of_torch.do == ("rocmlint stack install-command --torch 2.9.1",)
    assert of_torch.where == (CausePlace("requirements.txt:1"),)
    assert page.exit_code == 1


def test_the_layout_of_an_image_of_rocm_is_read(
    packages: FakeEnvironment, project: Path, mi300: FakeMachine
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    page = page_of(project, packages.python, mi300)
    assert page.facts["ROCm"] == "7.1.0 (/opt/rocm/.info/version)"
    assert page.facts["GPU"] == "2 x gfx942:sramecc+:xnack-"
    assert page.facts["torch"] == "2.10.0+rocm7.1, built for ROCm 7.1, HIP 7.1.25424"


def test_a_torch_for_cuda_on_an_amd_machine_is_one_cause(
    packages: FakeEnvironment, project: Path, mi300: FakeMachine
) -> None:
    packages.torch("2.10.0+cu128", cuda="12.8")
    page = page_of(project, packages.python, mi300)
    assert page.exit_code == 1
    first = page.causes[0]
    assert (first.id, first.subject.split()[0]) == ("stack-conflict", "torch")
    assert first.do == ("rocmlint stack install-command --rocm 7.1.0 --torch 2.10.0",)


def test_flash_attn_without_compiled_code_needs_its_variable(
    packages: FakeEnvironment, project: Path, mi300: FakeMachine
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("flash-attn", "2.8.3")
    name = "FLASH_ATTENTION_TRITON_AMD_ENABLE"
    packages.write("flash_attn/__init__.py", f"import os\nos.environ['{name}']\n")
    page = page_of(project, packages.python, mi300)
    (cause,) = (each for each in page.causes if each.id == "variable-missing")
    assert (cause.subject, cause.do) == (name, (f"export {name}=TRUE",))
    mi300.environment[name] = "TRUE"
    assert "variable-missing" not in ids(page_of(project, packages.python, mi300))


DECLARED = {
    "transformers==4.53.3": "4.53.2 is installed, and the project pins 4.53.3",
    "transformers>=4.54,<5": "4.53.2 is installed, and the project allows <5,>=4.54",
    "transformers>=4.53,<5": "",
    "transformers==4.53.2": "",
    "transformers==4.53.3; python_version < '3'": "",
    "transformers @ https://acme.example/transformers.whl": "",
}
"""What a project declares, and what is said of transformers 4.53.2 for it."""


@pytest.mark.parametrize("declared", DECLARED)
@pytest.mark.parametrize("installed", ["4.53.2", "4.53.2+acme"])
def test_installed_versions_are_compared_with_those_of_the_project(
    packages: FakeEnvironment, project: Path, here: FakeMachine, declared: str, installed: str
) -> None:
    packages.install("transformers", installed)
    (project / "pyproject.toml").write_text(
        f'[project]\nname = "job"\nversion = "1"\ndependencies = ["{declared}"]\n'
    )
    page = page_of(project, packages.python, here)
    wrong = [each.problem for each in page.causes if each.id == "wrong-version"]
    said = DECLARED[declared].replace("4.53.2 is", f"{installed} is")
    assert wrong == ([said] if said else [])


def test_an_interpreter_that_prints_nonsense_is_the_first_cause(
    project: Path, tmp_path: Path, here: FakeMachine
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'all is \033[31mwell'\n")
    python.chmod(0o755)
    (project / "job.py").write_text(
        "from transformers.models.gemma import modeling_gemma\n\n\n"
        "def build():\n    # modeling_gemma.set_use_aiter_attention(True)\n"
        "    return modeling_gemma.GemmaForCausalLM\n"
    )
    page = page_of(project, python, here)
    assert page.causes[0].id == "interpreter-broken"
    assert "without an answer: all is" in page.causes[0].problem
    assert "ROC301" in ids(page)  # the code is read all the same
    assert page.exit_code == 1
    assert not any("\033" in each for each in lines_of(page, verbose=True, color=False))


def test_the_python_of_rocmlint_is_not_repaired_for_a_project_that_wants_other_versions(
    packages: FakeEnvironment, project: Path, here: FakeMachine
) -> None:
    packages.install("transformers", "5.24.0")
    (project / "requirements.txt").write_text("transformers==4.53.2\n")
    page = page_of(project, packages.python, here, is_own=True)
    assert page.causes[0].id == "interpreter-unknown"
    assert not any("install" in each for cause in page.causes for each in cause.do)
    assert page.exit_code == 3


def test_what_was_found_within_the_time_limit_is_kept(
    packages: FakeEnvironment, project: Path, here: FakeMachine
) -> None:
    page = page_of(project, packages.python, here, seconds=0.001)
    assert page.exit_code in {1, 3}
    assert all("within 0.001 s" in each or "did not" in each for each in page.found.unanswered)
    assert page.found.unanswered


@pytest.mark.parametrize("number", [0, 3, 50])
def test_a_page_has_at_most_forty_lines(number: int) -> None:
    causes = [
        Cause(
            "x", "error", "code", f"s{n}", "wrong", (CausePlace(f"a.py:{n}"),) * 3, ("do it",) * 3
        )
        for n in range(number)
    ]
    lines = [f"line {n}" for n in range(number)]
    page = Page(".", Chosen("python", "--python"), found=Findings(causes, lines, lines))
    printed = lines_of(page, verbose=False, color=False)
    assert len(printed) <= MOST_LINES
    assert (number < 50) == (f"{number}. error  s" in "\n".join(printed) or not number)
    assert ("more causes: rocmlint doctor -v" in "\n".join(printed)) == (number == 50)
    assert len(lines_of(page, verbose=True, color=False)) > 7 * number


def test_what_to_do_first_is_on_top_and_nothing_is_printed_raw() -> None:
    causes = [
        Cause("toggle", "warning", "code", "c", "p", rank=2),
        Cause("pin", "error", "versions", "c", "\033[31mred\nline", (CausePlace("a\033.py:1"),)),
        Cause("faked", "error", "code", "c", "p", rank=1),
        Cause("files", "error", "files", "c", "p", evidence=(Evidence("x", "https://me:pw@a.b/"),)),
    ]
    page = Page(".", Chosen("python", "--python"), found=Findings(causes))
    assert ids(page) == ["pin", "files", "faked", "toggle"]
    printed = "\n".join(lines_of(page, verbose=True, color=False))
    assert "\033" not in printed
    assert "pw" not in printed + json_of(page)


def code_for(number: int) -> bytes:
    """Return the head of an ELF for a processor: EF_AMDGPU_MACH, any sramecc and xnack."""
    ident = b"\x7fELF\x02\x01\x01\x40\x02".ljust(16, b"\0")
    return ident + struct.pack("<HHIQQQIHHHHHH", 3, 224, 1, 0, 64, 64, number, 64, 56, 0, 64, 0, 0)


@pytest.mark.parametrize(
    ("number", "fits"),
    [pytest.param(0x54C, True, id="gfx942"), pytest.param(0x41, False, id="gfx1100")],
)
def test_kernels_of_imported_packages_are_compared_with_the_gpu(
    packages: FakeEnvironment, project: Path, mi300: FakeMachine, number: int, *, fits: bool
) -> None:
    packages.install("acme-kernels", "1.0")
    packages.write("acme_kernels/__init__.py", "")
    library = packages.write("acme_kernels/add.co", "")
    library.write_bytes(code_for(number))
    packages.install("other-kernels", "1.0")  # nothing imports it
    packages.write("other_kernels/__init__.py", "")
    packages.write("other_kernels/add.co", "").write_bytes(code_for(0x41))
    (project / "train.py").write_text("import acme_kernels\n")
    page = page_of(project, packages.python, mi300)
    kernels = [each for each in page.causes if each.area == "kernels"]
    if fits:
        assert kernels == []
        assert "acme_kernels: 1 file with code for gfx942" in page.found.right
    else:
        (cause,) = kernels
        assert (cause.id, cause.subject) == ("kernels-missing", "acme_kernels")
        assert cause.problem.startswith("has no code for gfx942: ")


def test_what_some_installations_have_is_not_missed(
    packages: FakeEnvironment, project: Path, here: FakeMachine
) -> None:
    packages.install("numpy", "2.0")
    (project / "requirements.txt").write_text("numpy\n")
    (project / "requirements-dev.txt").write_text("black==23.1\n")
    (project / "requirements-cuda.txt").write_text("numpy==1.0\n")
    (project / "environment.yml").write_text(
        "dependencies:\n  - python=3.9\n  - pytorch\n  - pip:\n    - numpy\n"
    )
    (project / "pyproject.toml").write_text(
        '[project]\nname = "job"\nversion = "1"\ndependencies = ["numpy>=1"]\n'
        '[project.optional-dependencies]\nfast = ["flash-attn"]\n'
        '[dependency-groups]\ntest = ["pytest"]\n[build-system]\nrequires = ["hatchling"]\n'
    )
    page = page_of(project, packages.python, here)
    assert [each for each in page.causes if each.area == "versions"] == []
