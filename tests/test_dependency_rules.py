"""The rules on installs and requirements where fixtures cannot show it: settings, odd input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocmlint.config import Configuration
from rocmlint.lint.analyse import Linter
from rocmlint.lint.fix import apply_fixes

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.findings import Finding

CODES = ("ROC201", "ROC202", "ROC203", "ROC206", "ROC208")


class Repository:
    """A repository in a folder; files are written, then linted with these rules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir(parents=True)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def lint(self, path: str, text: str, **options: object) -> list[Finding]:
        file = self.write(path, text)
        linter = Linter(Configuration(options).settings_for(str(self.root)))
        if not linter.has_work(str(file), text.encode()):
            return []
        analysis = linter.analyse_text(str(file), text)
        return [each for each in analysis.findings if each.code in CODES]

    def codes(self, path: str, text: str, **options: object) -> list[str]:
        return [each.code for each in self.lint(path, text, **options)]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


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
    assert "requires triton" in found.message


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
    assert found.message.startswith("vllm 0.11.2 requires torch==2.9.0: pip replaces the ROCm ")
    assert "Build it for ROCm" in found.message
    assert (found.line, found.column) == (2, 13)


def test_what_readmes_say_of_torch_is_believed_but_in_preview(repository: Repository) -> None:
    repository.write("trainer/__init__.py", "import torch\n")
    repository.write("README.md", "First install PyTorch for your GPU.\n")
    text = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["numpy"]\n'
    assert repository.codes("pyproject.toml", text) == []
    assert repository.codes("pyproject.toml", text, preview=True) == ["ROC206"]


def test_unknown_requirements_may_bring_torch(repository: Repository) -> None:
    repository.write("trainer/__init__.py", "import torch\n")
    text = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["some-framework"]\n'
    assert repository.codes("pyproject.toml", text) == []
    assert repository.codes("pyproject.toml", text, preview=True) == ["ROC206"]


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
        assert found.code in CODES
        assert 1 <= found.line <= text.count("\n") + 1


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(["numpy", "torch", "pkg[extra]"]),
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
    ("install", "codes"),
    [
        ("vllm", []),
        ("'vllm>=0.9'", []),
        ("vllm==0.11.2", ["ROC201"]),
        ("-U vllm", ["ROC201"]),
        ("lmdeploy", ["ROC201"]),
    ],
)
def test_a_package_that_the_image_has_stays(
    repository: Repository, install: str, codes: list[str]
) -> None:
    text = f"FROM rocm/vllm:rocm6.4.1_vllm_0.10.0\nRUN pip install {install}\n"
    assert repository.codes("Dockerfile", text) == codes


IMAGE = "FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"


@pytest.mark.parametrize(
    "steps",
    [
        "COPY . .\nRUN python3 use_existing_torch.py && pip install -r requirements.txt",
        "COPY . .\nRUN sed -i /torch/d requirements.txt && pip install -r requirements.txt",
    ],
)
def test_torch_that_is_taken_out_of_the_list_before_is_not_installed(
    repository: Repository, steps: str
) -> None:
    repository.write("requirements.txt", "torch==2.8.0\nnumpy\n")
    assert repository.codes("Dockerfile", f"{IMAGE}{steps}\n") == []
    unchanged = f"{IMAGE}COPY . .\nRUN pip install -r requirements.txt\n"
    assert repository.codes("Dockerfile", unchanged) == ["ROC201"]


def test_a_folder_that_is_copied_into_the_image_holds_the_list(repository: Repository) -> None:
    repository.write("scripts/list.txt", "torch==2.8.0\n")
    text = f"{IMAGE}COPY scripts/. /build/\nRUN pip install -r /build/list.txt\n"
    assert repository.codes("Dockerfile", text) == ["ROC201"]


def test_a_list_beside_the_script_is_read(repository: Repository) -> None:
    repository.write("tools/requirements.txt", "torch\n")
    text = (
        'SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
        'pip install -r "$SCRIPT_DIR/requirements.txt"\n'
    )
    assert repository.codes("tools/install_rocm.sh", text) == ["ROC201"]
    other = 'CLONE="$(dirname "$0")/ComfyUI"\npip install -r "$CLONE/requirements.txt"\n'
    assert repository.codes("tools/install_rocm.sh", other) == []


PROJECT = '[project]\nname = "server"\nversion = "0.1.0"\n'
SYNC = "FROM rocm/dev-ubuntu-24.04:7.2-complete\nRUN uv sync --frozen || uv sync --frozen\n"


@pytest.mark.parametrize(
    ("project", "codes"),
    [
        ('dependencies = ["torch>=2.8"]\n', ["ROC201"]),
        ('dependencies = ["numpy"]\n', []),
        ('[project.optional-dependencies]\ncuda = ["torch>=2.8"]\n', []),
        ('dependencies = ["torch==2.9.1+rocm6.4"]\n', []),
    ],
)
def test_a_sync_in_an_image_for_rocm_brings_the_torch_that_the_project_requires(
    repository: Repository, project: str, codes: list[str]
) -> None:
    repository.write("pyproject.toml", PROJECT + project)
    assert repository.codes("Dockerfile", SYNC) == codes
    again = "RUN uv pip install torch --index-url https://download.pytorch.org/whl/rocm7.2\n"
    assert repository.codes("Dockerfile", SYNC + again) == []


CLONE = "RUN git clone https://example.com/vllm.git\n"


@pytest.mark.parametrize(
    ("steps", "codes"),
    [
        ("RUN cd /opt && ls\nRUN pip install -r requirements.txt", ["ROC201"]),
        ("RUN cd /opt && pip install -r requirements.txt", []),
        (f"{CLONE}WORKDIR /app/vllm/\nRUN pip install -r requirements.txt", []),
        (f"{CLONE}WORKDIR /app\nRUN pip install -r requirements.txt", ["ROC201"]),
    ],
)
def test_a_list_is_read_from_where_the_instruction_runs(
    repository: Repository, steps: str, codes: list[str]
) -> None:
    repository.write("requirements.txt", "torch==2.8.0\n")
    assert repository.codes("Dockerfile", f"{IMAGE}COPY . .\n{steps}\n") == codes


LOCK = """
[[package]]
name = "server"
source = { virtual = "." }
dependencies = [{ name = "model" }]

[[package]]
name = "model"
source = { editable = "model" }
dependencies = [{ name = "torch", marker = "sys_platform == 'linux'" }]

[[package]]
name = "torch"
version = "2.11.0"
source = { registry = "https://pypi.example/simple" }
"""


@pytest.mark.parametrize(
    ("lock", "codes"),
    [
        (LOCK, ["ROC201"]),
        (LOCK.replace("2.11.0", "2.11.0+cu128"), ["ROC201"]),
        (LOCK.replace("2.11.0", "2.11.0+cpu"), []),
        (LOCK.replace("2.11.0", "2.11.0+rocm7.2"), []),
        (LOCK.replace("'linux'", "'darwin'"), []),
        (LOCK.replace('"model" }]', '"numpy" }]'), []),
        ("package = 1", []),
        ("[[package", []),
    ],
)
def test_a_sync_brings_the_torch_of_the_lock(
    repository: Repository, lock: str, codes: list[str]
) -> None:
    repository.write("pyproject.toml", f'{PROJECT}dependencies = ["model"]\n')
    repository.write("uv.lock", lock)
    assert repository.codes("Dockerfile", SYNC) == codes


@pytest.mark.parametrize(
    ("pin", "effect"),
    [("torch==2.6.0", "PyPI's torch is taken"), ("torch==2.6.0+rocm6.3", "no torch is found")],
)
def test_of_a_build_that_the_index_lacks_pypi_has_none_either(
    repository: Repository, pin: str, effect: str
) -> None:
    text = f"--extra-index-url https://download.pytorch.org/whl/rocm6.3\n{pin}\n"
    (found,) = repository.lint("requirements.txt", text)
    assert (found.code, effect in found.message) == ("ROC202", True)


def test_a_list_that_is_added_is_found_once(repository: Repository) -> None:
    repository.write("requirements.txt", "torch\naccelerate\n")
    assert repository.codes("install_rocm.sh", "uv add -r requirements.txt\n") == ["ROC201"]
