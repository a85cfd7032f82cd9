"""The rules on installs and requirements where fixtures cannot show it: settings, odd input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocmlint.change.fix import apply_fixes
from tests.support.repositories import ON_REQUIREMENTS, PROJECT, Repository

if TYPE_CHECKING:
    from pathlib import Path

VLLM = "pip install vllm==0.11.2\n"


def test_the_configuration_says_that_a_project_is_for_rocm(repository: Repository) -> None:
    assert repository.codes("install.sh", VLLM) == []
    assert repository.codes("install.sh", VLLM, rocm=True) == ["ROC201"]


def test_the_configuration_says_that_a_project_is_not_for_rocm(repository: Repository) -> None:
    text = "rocm-smi\n" + VLLM
    assert repository.codes("install.sh", text) == ["ROC201"]
    assert repository.codes("install.sh", text, rocm=False) == []


def test_a_file_for_cuda_is_left_alone_in_a_project_for_rocm(repository: Repository) -> None:
    text = "pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124\n" + VLLM
    assert repository.codes("install.sh", text, rocm=True) == []
    assert repository.codes("install_cuda.sh", VLLM, rocm=True) == []


def test_a_script_that_a_rocm_image_is_built_with_is_for_rocm(repository: Repository) -> None:
    repository.write("Dockerfile", "FROM rocm/vllm-dev:base\nCOPY steps.sh .\nRUN bash steps.sh\n")
    assert repository.codes("others.sh", VLLM) == ["ROC201"]
    repository.write("requirements.txt", "--extra-index-url https://example.com/whl/cu124\n")
    assert repository.codes("steps.sh", VLLM) == ["ROC201"]
    assert repository.codes("others.sh", VLLM) == []


def test_a_triton_over_that_of_the_rocm_torch_is_doubtful(repository: Repository) -> None:
    text = (
        "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "pip install liger-kernel\n"
    )
    assert repository.codes("install.sh", text) == []
    (found,) = repository.lint("install.sh", text, preview=True)
    assert (found.code, "requires triton" in found.help) == ("ROC209", True)


def test_requirements_of_a_clone_are_doubtful_once(repository: Repository) -> None:
    text = (
        "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "git clone https://github.com/example/one && cd one\n"
        "pip install -r requirements.txt\n"
        "cd ../two\n"
        "pip install -r requirements.txt\n"
    )
    assert repository.codes("install.sh", text) == []
    assert [each.line for each in repository.lint("install.sh", text, preview=True)] == [3]


def test_a_message_names_the_version_and_what_to_type(repository: Repository) -> None:
    text = (
        "pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "pip install vllm==0.11.2\n"
    )
    (found,) = repository.lint("install.sh", text)
    assert found.message == (
        "`vllm==0.11.2` replaces the ROCm torch 2.9.1 (line 1) with PyPI's CUDA build"
    )
    assert found.help.startswith("vllm 0.11.2 requires torch==2.9.0. ")
    assert "build it for ROCm" in found.help
    assert (found.line, found.column) == (2, 13)


def test_what_readmes_say_of_torch_leaves_a_note(repository: Repository) -> None:
    repository.write("trainer/__init__.py", "import torch\n")
    repository.write("README.md", "First install PyTorch for your GPU.\n")
    text = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["numpy"]\n'
    (found,) = repository.lint("pyproject.toml", text)
    assert (found.code, found.severity) == ("ROC206", "note")


def test_unknown_requirements_may_bring_torch(repository: Repository) -> None:
    repository.write("trainer/__init__.py", "import torch\n")
    text = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["some-framework"]\n'
    (found,) = repository.lint("pyproject.toml", text)
    assert (found.code, found.severity) == ("ROC206", "note")


def test_imports_in_a_circle_come_to_an_end(repository: Repository) -> None:
    repository.write("trainer/__init__.py", "from .a import b\nfrom ... import c\n")
    repository.write("trainer/a.py", "from . import b\nimport trainer\n")
    repository.write("trainer/b.py", "from trainer.a import *\n")
    text = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["numpy"]\n'
    assert repository.codes("pyproject.toml", text) == []


def test_requirements_that_include_each_other_are_read_once(repository: Repository) -> None:
    repository.write("requirements/base.txt", "-r all.txt\ntorch==2.4.1\n")
    text = "-r base.txt\n-r /nowhere/else.txt\n-r https://example.com/more.txt\nvllm==0.11.2\n"
    (found,) = repository.lint("requirements/all.txt", text)
    assert "base.txt:2" in found.message


@pytest.mark.parametrize(
    "line",
    [
        "torch==not.a.version",
        "torch===anything at all",
        "torch==2.4.*.*",
        "torch>=2.4,<2.4",
        "torch~=2",
        "torch==99999999999999999999.1",
        "torch @ file:///nowhere/torch.whl",
        "torch[extra]==2.4.1; python_version < 'x'",
        "torch==2.4.1; extra == 'never'",
    ],
)
def test_odd_requirements_say_nothing_of_others(line: str, repository: Repository) -> None:
    text = f"{line}\ntransformers==5.23.0\nvllm==nonsense\n"
    found = repository.codes("requirements.txt", text)
    assert "ROC900" not in found
    assert len([code for code in found if code == "ROC203"]) <= 1


@pytest.mark.slow
def test_long_lists_of_one_package_are_read_in_part(repository: Repository) -> None:
    text = "".join(f"torch>=2.{minor % 9}\n" for minor in range(5000)) + "vllm==0.11.2\n"
    assert repository.codes("requirements.txt", text) == []


def test_long_commands_are_read_in_part(repository: Repository) -> None:
    words = " ".join(f"'torch>=2.{minor}'" for minor in range(3000))
    assert "ROC203" not in repository.codes("install.sh", f"pip install {words} vllm==0.11.2\n")


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(
        st.one_of(
            st.sampled_from(
                ["-r", "-c", "--index-url", "-U", "--no-deps", "torch", "vllm", "torch==2.4", "-"]
            ),
            st.sampled_from(["$X", "torch>=$Y", '"', "'", ">=2", "<", "torch<2", "${A[@]}", "--"]),
            st.text("abc=<>!~[]{}$*.0 \\é", max_size=8),
        ),
        max_size=8,
    )
)
def test_no_command_is_too_odd(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    repository = Repository(tmp_path_factory.mktemp("odd") / "repository")
    text = f"rocm-smi\npip install {' '.join(words)}\n"
    for found in repository.lint("install.sh", text, preview=True):
        assert found.code in ON_REQUIREMENTS
        assert 1 <= found.line <= text.count("\n") + 1


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(["pkg", "my-pkg", "pkg[extra]"]),
    operator=st.sampled_from([">=", "<=", "<"]),
    version=st.from_regex(r"[1-9]\.[0-9]", fullmatch=True),
)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("install.sh", "pip install {} -q\n"),
        ("install.sh", "bash -c 'pip install {}'\n"),
        ("install.sh", 'sh -c "cd /x && pip install {} && ls"\n'),
        ("Dockerfile", "FROM x\nRUN pip install \\\n    {} \\\n    einops\n"),
        ("run.py", "import os\nos.system('pip install {} einops')\n"),
    ],
)
def test_quotes_give_the_program_the_whole_requirement(  # noqa: PLR0913, PLR0917
    name: str,
    operator: str,
    version: str,
    path: str,
    text: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    repository = Repository(tmp_path_factory.mktemp("quotes") / "repository")
    written = text.format(f"{name}{operator}{version}")
    found = repository.lint(path, written)
    assert [each.code for each in found] == ["ROC208"]
    fixed = apply_fixes(written, found, unsafe=False).text
    assert fixed != written
    assert repository.codes(path, fixed) == []


def test_an_install_may_be_the_last_line_without_a_line_end(repository: Repository) -> None:
    first = "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4"
    text = f"{first}\npip install -U torch"
    assert repository.codes("install_rocm.sh", text) == ["ROC201"]


@pytest.mark.parametrize(
    ("table", "codes"),
    [
        ("[build-system]\nrequires", []),
        ("[project.optional-dependencies]\nold", ["ROC203"]),
    ],
)
def test_what_a_build_needs_goes_into_an_environment_of_its_own(
    repository: Repository, table: str, codes: list[str]
) -> None:
    text = f'{PROJECT}dependencies = ["torch==2.9.1"]\n{table} = ["torch==2.4.1"]\n'
    assert repository.codes("pyproject.toml", text) == codes


@pytest.mark.parametrize(
    ("pins", "told"),
    [
        pytest.param(
            "torch==2.0.0\nwhisperx==3.8.6", "whisperx 3.3.1,", id="3.3.2 would go, but is yanked"
        ),
        pytest.param(
            "torch==2.0.0\nvllm==0.11.2", "Use torch==2.9.0.", id="those that pin none are too old"
        ),
    ],
)
def test_what_is_proposed_in_place_of_a_pin_is_of_use(
    repository: Repository, pins: str, told: str
) -> None:
    (found,) = repository.lint("requirements.txt", f"{pins}\n")
    assert told in found.help


@pytest.mark.parametrize(
    ("requirement", "severity"),
    [
        ("datasets", "warning"),
        ("datasets @ git+https://github.com/huggingface/datasets", "note"),
    ],
)
def test_what_a_url_brings_is_unknown(
    repository: Repository, requirement: str, severity: str
) -> None:
    repository.write("trainer/__init__.py", "import torch\n")
    text = f'[project]\nname = "trainer"\nversion = "1"\ndependencies = ["{requirement}"]\n'
    (found,) = repository.lint("pyproject.toml", text)
    assert (found.code, found.severity) == ("ROC206", severity)


LOCKED = (
    "package:\n- name: torch\n  version: 2.7.0\n  manager: {0}\n  platform: linux-64\n"
    "- name: triton\n  version: 3.4.0\n  manager: {0}\n  platform: linux-64\n"
)


@pytest.mark.parametrize(
    ("path", "text", "codes"),
    [
        ("conda-lock.yml", LOCKED.format("pip"), ["ROC203"]),
        ("conda-lock.yml", LOCKED.format("conda"), []),
        ("environment.yml", "dependencies:\n- pytorch=2.7.0\n- triton=3.4.0\n", []),
        (
            "environment.yml",
            "dependencies:\n- pip:\n  - torch==2.7.0\n  - triton==3.4.0\n",
            ["ROC203"],
        ),
        ("pixi.toml", '[dependencies]\npytorch = "2.7.0"\ntriton = "3.4.0"\n', []),
        (
            "pixi.toml",
            '[pypi-dependencies]\ntorch = "==2.7.0"\ntriton = "==3.4.0"\n',
            ["ROC203"],
        ),
    ],
)
def test_packages_of_conda_need_not_go_with_the_requirements_of_those_of_pypi(
    path: str, text: str, codes: list[str], repository: Repository
) -> None:
    assert repository.codes(path, text) == codes


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "install:\n\t@rocm-smi\n\t{}\n"),
        ("justfile", "install:\n    rocm-smi\n    {}\n"),
        ("job.slurm", "#!/bin/bash\n#SBATCH -N 1\nrocm-smi\n{}\n"),
        ("rocm.def", "Bootstrap: docker\nFrom: rocm/pytorch\n%post\n    {}\n"),
        ("compose.yaml", "services:\n  a:\n    image: rocm/pytorch\n    command: bash -c '{}'\n"),
        (".devcontainer.json", '{{"image": "rocm/pytorch", "onCreateCommand": "{}"}}\n'),
        ("pixi.toml", '[tasks]\na = "rocm-smi"\nb = "{}"\n'),
        ("tox.ini", "[testenv]\ncommands =\n    rocm-smi\n    {}\n"),
        ("install.ps1", "rocm-smi\n{}\n"),
        ("install.bat", "rocm-smi\n{}\n"),
        ("README.md", "```bash\nrocm-smi\n{}\n```\n"),
    ],
)
def test_an_install_that_replaces_torch_is_found_in_every_format(
    path: str, text: str, repository: Repository
) -> None:
    (found,) = repository.lint(path, text.format(VLLM.strip()))
    assert found.code == "ROC201"
    assert text.format(VLLM.strip()).split("\n")[found.line - 1].find("vllm") == found.column - 1


def test_an_image_for_cuda_keeps_a_definition_out_of_a_project_for_rocm(
    repository: Repository,
) -> None:
    text = "Bootstrap: docker\nFrom: {}\n%post\n    pip install vllm==0.11.2\n"
    assert repository.codes("a.def", text.format("nvcr.io/nvidia/pytorch:25.01"), rocm=True) == []
    assert repository.codes("a.def", text.format("rocm/pytorch")) == ["ROC201"]


def test_two_bounds_without_quotes_in_one_command_are_one_finding(tmp_path: Path) -> None:
    script = "pip install numpy>=1.26 einops>=0.8\n"
    (found,) = Repository(tmp_path / "job").lint("install.sh", script)
    assert found.message == "The shell cuts `>=1.26` off, and creates an empty file `=1.26`"
    assert found.severity == "warning"
    assert found.help.endswith("pip installs any version of `numpy` and `einops`.")
    assert found.fix is not None
    assert len(found.fix.edits) == 2


def test_a_bound_without_quotes_that_another_requirement_repeats_is_a_warning(
    tmp_path: Path,
) -> None:
    script = 'pip install numpy>=1.26\npip install "numpy>=1.26"\n'
    (found,) = Repository(tmp_path / "job").lint("install.sh", script)
    assert found.message.endswith("writes the output to a file `=1.26`")
    assert found.severity == "warning"
    assert "any version" not in found.help


@pytest.mark.parametrize(("command", "is_upgrade"), [("install -U", True), ("install", False)])
def test_an_upgrade_meets_a_lost_lower_bound_for_now(
    repository: Repository, command: str, is_upgrade: bool
) -> None:
    (found,) = repository.lint("setup.sh", f"pip {command} cmake>=3.21 ninja\n")
    assert found.severity == ("note" if is_upgrade else "warning")
    assert ("only `--upgrade` takes" in found.help) == is_upgrade


def test_the_same_specifier_without_quotes_is_told_once_with_the_quotes_that_fit(
    repository: Repository,
) -> None:
    line = 'docker exec job bash -c "pip install ninja>=1.11"\n'
    (found,) = repository.lint("build.sh", line * 2)
    assert found.help.startswith("Write `'ninja>=1.11'`:")
    assert found.help.endswith("The same holds for 1 more place.")
