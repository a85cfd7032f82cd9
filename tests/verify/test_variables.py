"""``rocmlint verify variables``: who reads a variable, as what, and what contradicts what."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.interpreter.inside.variables import relevant
from rocmlint.verify.variables.sources import is_source

if TYPE_CHECKING:
    from tests.support.project import Project

EXACT = """\
import os
USE_TRITON = os.getenv("FLASH_ATTENTION_TRITON_AMD_ENABLE", "FALSE") == "TRUE"
TUNE = os.environ.get("FLASH_ATTENTION_TRITON_AMD_AUTOTUNE", "0").lower() in ("1", "true", "yes")
"""
TABLE = """\
import os
variables = {
    "VLLM_ROCM_USE_AITER":
        lambda: (os.getenv("VLLM_ROCM_USE_AITER", "False").lower() in ("true", "1")),
    "VLLM_ROCM_USE_AITER_MOE":
        lambda: (os.getenv("VLLM_ROCM_USE_AITER_MOE", "True").lower() in ("true", "1")),
    "VLLM_ROCM_FP8_PADDING": lambda: bool(int(os.getenv("VLLM_ROCM_FP8_PADDING", "1"))),
}
"""
OTHERS = '''\
"""HIP_MENTIONED is for documentation."""
import os
from os import environ, getenv

FLAG = "AITER_NAMED"
TRUE_WORDS = ("on", "yes")
FORWARDED = ["TORCH_FORWARDED"]


def env_flag(name, default="0"):
    return os.environ.get(name, default) == "1"


def by_call():
    if not environ.get("AITER_ANY"):  # HIP_MENTIONED
        return env_flag("AITER_HELPED", default="1")
    return getenv(FLAG) in TRUE_WORDS or [os.environ.get(each) for each in FORWARDED]


def by_name():
    mode = os.environ.get("AITER_MODE", "0")
    text = os.environ.get("AITER_SIZE")
    if text is not None:
        size = int(text)
    return mode == "1", size


os.environ["TORCH_WRITTEN"] = "1"
os.environ.setdefault("TORCH_WRITTEN", "1")
'''


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an interpreter with a few packages that read variables."""
    root = tmp_path_factory.mktemp("environment")
    venv.create(root, symlinks=True)
    site = Path(
        subprocess.check_output(
            [root / "bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            text=True,
        ).strip()
    )
    for name, text in {
        "flash_attn/__init__.py": EXACT,
        "vllm/envs.py": TABLE,
        "aiter/__init__.py": OTHERS,
        "aiter/tests/test_all.py": "import os\nTESTED = os.environ.get('AITER_TESTED')\n",
        "aiter/broken.py": "import os\nos.environ.get('AITER_BROKEN'\n",
    }.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (site / "torch/lib").mkdir(parents=True)
    (site / "torch/lib/libtorch_cpu.so").write_bytes(
        b"\x7fELF\0TORCH_BLAS_PREFER_HIPBLASLT\0TORCH_LONGER_NAME\0TORCH_SHOWN=%d\0"
    )
    (site / "torch/lib/libhsa-runtime64.so.1.15.0").write_bytes(
        b"\x7fELF\0HSA_ENABLE_SDMA\0HSA_OVERRIDE_GFX_VERSION\0ROCR_VISIBLE_DEVICES\0"
    )
    return root / "bin/python"


class Judged:
    """The results of one run, by subject."""

    def __init__(self, project: Project, python: Path, *arguments: str, **variables: str) -> None:
        command = ("verify", "variables", "--python", str(python), "--output-format", "json")
        # An empty variable is set too: those of the machine have to go.
        with pytest.MonkeyPatch.context() as patch:
            for name in filter(relevant, list(os.environ)):
                patch.delenv(name)
            self.run = project.run(*command, *arguments, **variables)
        self.results = json.loads(self.run.stdout)["results"]

    def of(self, subject: str) -> dict[str, Any]:
        found: dict[str, Any] = next(r for r in self.results if r["subject"].startswith(subject))
        return found


def test_without_variables_nothing_contradicts(project: Project, python: Path) -> None:
    judged = Judged(project, python)
    assert judged.run.returncode == 0
    assert [each["verdict"] for each in judged.results] == ["proven"]


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("FLASH_ATTENTION_TRITON_AMD_ENABLE", "1", "TRUE"),
        ("FLASH_ATTENTION_TRITON_AMD_ENABLE", "true", "TRUE"),
        ("VLLM_ROCM_USE_AITER", "on", "1"),
        ("VLLM_ROCM_FP8_PADDING", "false", "0"),
        ("AITER_HELPED", "yes", "1"),
        ("AITER_NAMED", "1", "on"),
        ("AITER_MODE", "true", "1"),
        ("TORCH_BLAS_PREFER_HIPBLASLT", "true", "1"),
        ("HSA_ENABLE_SDMA", "false", "0"),
    ],
)
def test_a_value_that_is_not_taken_as_meant(
    project: Project, python: Path, name: str, value: str, right: str
) -> None:
    judged = Judged(project, python, **{name: value})
    result = judged.of(name)
    assert (result["verdict"], result["strength"]) == ("contradicted", "located")
    assert result["action"] == f"export {name}={right}"
    assert judged.run.returncode == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FLASH_ATTENTION_TRITON_AMD_ENABLE", "TRUE"),
        ("FLASH_ATTENTION_TRITON_AMD_ENABLE", "0"),
        ("VLLM_ROCM_USE_AITER", "True"),
        ("VLLM_ROCM_FP8_PADDING", "0"),
        ("AITER_HELPED", "1"),
        ("AITER_SIZE", "0"),
        ("TORCH_BLAS_PREFER_HIPBLASLT", "0"),
    ],
)
def test_a_value_that_is_taken_as_meant(
    project: Project, python: Path, name: str, value: str
) -> None:
    judged = Judged(project, python, **{name: value})
    assert judged.of(name)["verdict"] == "proven"
    assert judged.run.returncode == 0


def test_the_place_of_a_reader_is_told_with_its_expression(project: Project, python: Path) -> None:
    result = Judged(project, python, FLASH_ATTENTION_TRITON_AMD_ENABLE="TRUE").of("FLASH")
    (place,) = [each for each in result["evidence"] if each["name"] == "read at import"]
    assert place["value"].endswith(
        "flash_attn/__init__.py:2: "
        "os.getenv('FLASH_ATTENTION_TRITON_AMD_ENABLE', 'FALSE') == 'TRUE'"
    )


def test_a_reading_inside_a_function_is_no_reading_at_import(
    project: Project, python: Path
) -> None:
    names = {
        each["name"] for each in Judged(project, python, AITER_ANY="1").of("AITER")["evidence"]
    }
    assert "read when called" in names
    assert "read at import" not in names


def test_zero_for_a_variable_that_only_has_to_be_set(project: Project, python: Path) -> None:
    result = Judged(project, python, AITER_ANY="0").of("AITER_ANY")
    assert (result["verdict"], result["action"]) == ("contradicted", "unset AITER_ANY")


@pytest.mark.parametrize(
    "name", ["HIP_MENTIONED", "TORCH_WRITTEN", "TORCH_LONGER", "TORCH_SHOWN", "AITER_TESTED"]
)
def test_what_only_names_a_variable_does_not_read_it(
    project: Project, python: Path, name: str, tmp_path: Path
) -> None:
    # With HIP's library among the files it is sure that nobody is missing.
    (tmp_path / "libamdhip64.so").write_bytes(b"\x7fELF\0")
    result = Judged(project, python, str(tmp_path), **{name: "1"}).of(name)
    assert (result["verdict"], result["seen"]) == ("contradicted", "not read by any file")


def test_what_only_tests_read_is_told_as_such(project: Project, python: Path) -> None:
    result = Judged(project, python, AITER_TESTED="1").of("AITER")
    assert result["reason"].startswith("only tests")


@pytest.mark.parametrize("name", ["TORCH_FORWARDED", "AITER_BROKEN"])
def test_a_reading_that_depends_on_the_run_is_not_proven(
    project: Project, python: Path, name: str
) -> None:
    judged = Judged(project, python, **{name: "1"})
    assert judged.of(name)["verdict"] == "unproven"
    assert judged.run.returncode == 3


def test_a_made_up_name_gets_the_right_one_and_who_reads_it(project: Project, python: Path) -> None:
    result = Judged(project, python, TORCH_ROCM_USE_HIPBLASLT="1").of("TORCH_ROCM")
    assert result["verdict"] == "contradicted"
    assert "TORCH_BLAS_PREFER_HIPBLASLT, which torch/lib/libtorch_cpu.so" in result[
        "action"
    ].replace("lib/libtorch", "torch/lib/libtorch").replace("torch/torch", "torch")


def test_a_library_that_is_not_there_leaves_its_variables_open(
    project: Project, python: Path
) -> None:
    result = Judged(project, python, MIOPEN_FIND_MODE="FAST").of("MIOPEN")
    assert (result["verdict"], result["strength"]) == ("unproven", "declared")
    assert "libMIOpen" in result["reason"]


def test_a_package_that_is_not_there_reads_nothing(project: Project, python: Path) -> None:
    result = Judged(project, python, BNB_ROCM_VERSION="72").of("BNB")
    assert result["verdict"] == "contradicted"
    assert "bitsandbytes" in result["reason"]


def test_overriding_the_gpu_is_never_proven(project: Project, python: Path) -> None:
    judged = Judged(project, python, HSA_OVERRIDE_GFX_VERSION="10.3.0")
    read, danger = (each for each in judged.results if each["subject"].startswith("HSA_OVER"))
    assert (read["verdict"], danger["verdict"]) == ("proven", "unproven")
    assert "HSA_STATUS_ERROR_INVALID_ISA" in danger["reason"]
    assert judged.run.returncode == 3


@pytest.mark.parametrize(("value", "code"), [("gfx942", 0), ("gfx942;gfx950", 3)])
def test_several_architectures_for_aiter_are_a_danger(
    project: Project, python: Path, tmp_path: Path, value: str, code: int
) -> None:
    (tmp_path / "chips.py").write_text("import os\nX = os.environ['GPU_ARCHS'].split(';')[-1]\n")
    assert Judged(project, python, str(tmp_path), GPU_ARCHS=value).run.returncode == code


@pytest.mark.parametrize(
    ("master", "contradicted"), [(None, True), ("on", True), ("0", True), ("1", False)]
)
def test_a_switch_needs_its_master(
    project: Project, python: Path, master: str | None, contradicted: bool
) -> None:
    variables = {"VLLM_ROCM_USE_AITER_MOE": "1"}
    if master is not None:
        variables["VLLM_ROCM_USE_AITER"] = master
    judged = Judged(project, python, **variables)
    conflict = judged.results[-1]
    assert (conflict["verdict"] == "contradicted") is contradicted
    assert not contradicted or conflict["action"] == "export VLLM_ROCM_USE_AITER=1"


def test_the_master_is_proposed_in_the_word_that_its_reader_wants(
    project: Project, python: Path
) -> None:
    conflict = Judged(project, python, FLASH_ATTENTION_TRITON_AMD_AUTOTUNE="1").results[-1]
    assert conflict["action"] == "export FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE"


@pytest.mark.parametrize(
    ("lists", "verdict"),
    [
        ({"ROCR": "2,3", "HIP": "0,1"}, "proven"),
        ({"ROCR": "2,3", "HIP": "2,3"}, "contradicted"),
        ({"ROCR": "2", "HIP": "0,1"}, "contradicted"),
        ({"ROCR": "GPU-abc,GPU-def", "HIP": "1"}, "proven"),
        ({"ROCR": "0", "CUDA": "1"}, "contradicted"),
        ({"HIP": "0", "CUDA": "1"}, "contradicted"),
        ({"HIP": "0,1", "CUDA": "0,1"}, "proven"),
        ({"HIP": "0,0"}, "contradicted"),
        ({"ROCR": "0,1", "HIP": "0,-1,5"}, "proven"),
    ],
)
def test_lists_of_devices_fit_together(
    project: Project, python: Path, lists: dict[str, str], verdict: str
) -> None:
    variables = {f"{name}_VISIBLE_DEVICES": value for name, value in lists.items()}
    assert Judged(project, python, **variables).results[-1]["verdict"] == verdict


def test_a_variable_can_be_asked_about_before_it_is_set(project: Project, python: Path) -> None:
    judged = Judged(project, python, "--variable", "FLASH_ATTENTION_TRITON_AMD_ENABLE=1")
    assert judged.of("FLASH")["verdict"] == "contradicted"


def test_a_path_adds_readers(project: Project, python: Path) -> None:
    project.write("src/mine.py", "import os\nMODE = os.environ['AITER_MINE']\n")
    assert Judged(project, python, AITER_MINE="x").of("AITER")["verdict"] == "contradicted"
    assert Judged(project, python, "src", AITER_MINE="x").of("AITER")["verdict"] == "proven"


def test_labels_of_images_are_no_settings(project: Project, python: Path) -> None:
    judged = Judged(project, python, ROCM_VERSION="7.2", PYTORCH_VERSION="2.13.0")
    assert [each["subject"] for each in judged.results] == ["all variables"]


def test_odd_files_neither_stop_nor_spoil_a_search(
    project: Project, python: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    os.mkfifo(folder / "pipe.py")
    (folder / "dangling.py").symlink_to(folder / "nothing")
    (folder / "empty.so").write_bytes(b"")
    (folder / "nul.py").write_bytes(b"'AITER_ODD'\0")
    (folder / "loop").symlink_to(folder)
    judged = Judged(project, python, str(folder), AITER_ODD="1", VLLM_ROCM_USE_AITER="1")
    assert judged.of("AITER_ODD")["verdict"] == "unproven"
    assert judged.of("VLLM")["verdict"] == "proven"


@pytest.mark.parametrize(
    "arguments", [("--variable", "NAME"), ("--variable", "=1"), ("nowhere",), ("--python", "/no")]
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    project: Project, arguments: tuple[str, ...]
) -> None:
    run = project.run("verify", "variables", *arguments)
    assert run.returncode == 2
    assert run.stderr.startswith("error: ")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        *((each, True) for each in ("a.cpp", "Dockerfile", "run.sh", "train.yaml", ".env")),
        *((each, False) for each in ("README.md", "requirements.txt", "a.csv", "a.py")),
        ("ollama.service", False),  # its lines have the tokens of a service, too
    ],
)
def test_files_that_may_set_or_read_a_variable(name: str, is_read: bool) -> None:
    assert is_source(name) is is_read
