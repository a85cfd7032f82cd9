"""What is known of an install in a script or a Dockerfile: its lists, its indexes, its torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats.installs import install
from tests.support.repositories import PROJECT

if TYPE_CHECKING:
    from rocmlint.formats.model import Command
    from tests.support.repositories import Repository


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


SYNC = "FROM rocm/dev-ubuntu-24.04:7.2-complete\nRUN uv sync --frozen\n"


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


LOCK = """
[[package]]
name = "torch"
version = "{}"
source = {{ registry = "https://pypi.example/simple" }}
"""


@pytest.mark.parametrize(
    ("version", "codes"),
    [
        ("2.11.0", ["ROC201"]),
        ("2.11.0+cu128", ["ROC201"]),
        ("2.11.0+cpu", []),
        ("2.11.0+rocm7.2", []),
    ],
)
def test_a_sync_installs_the_torch_of_the_lock(
    repository: Repository, version: str, codes: list[str]
) -> None:
    repository.write("pyproject.toml", f'{PROJECT}dependencies = ["torch"]\n')
    repository.write("uv.lock", LOCK.format(version))
    assert repository.codes("Dockerfile", SYNC) == codes


@pytest.mark.parametrize(
    ("pin", "is_there"),
    [("torch==2.6.0", True), ("torch==2.6.0+rocm6.3", False)],
)
def test_of_a_build_that_the_index_lacks_pypi_has_none_either(
    repository: Repository, pin: str, is_there: bool
) -> None:
    text = f"--extra-index-url https://download.pytorch.org/whl/rocm6.3\n{pin}\n"
    (found,) = repository.lint("requirements.txt", text)
    assert (found.code, "PyPI's CUDA build" in found.help) == ("ROC202", is_there)


SERVER = "https://download.pytorch.org/whl"


ROCM = f"pip install torch==2.9.1 --index-url {SERVER}/rocm6.4\n"


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        pytest.param(f"{ROCM}pip install --force-reinstall torch", ["ROC201"], id="reinstalled"),
        pytest.param(
            f"{ROCM}uv pip install -U torch --extra-index-url {SERVER}/rocm6.4",
            [],
            id="uv prefers the extra index",
        ),
        pytest.param(
            f"{ROCM}pip install -U torch --extra-index-url {SERVER}/rocm6.4",
            ["ROC201"],
            id="pip takes the newest of both",
        ),
        pytest.param(
            f"pip install torch==2.6.0 --extra-index-url {SERVER}/nightly/rocm7.2",
            [],
            id="nobody knows what an index of nightly builds has",
        ),
        pytest.param(
            f"pip install torch==2.9.1 --index-url {SERVER}/rocm6.4"
            f" --extra-index-url {SERVER}/rocm7.1",
            [],
            id="of two indexes one may have the wheel",
        ),
        pytest.param("pip install numpy> 2", [], id="a redirection, as it is spaced"),
        pytest.param("pip install numpy>2", ["ROC208"], id="a bound without quotes"),
    ],
)
def test_what_stands_beside_an_install_decides(
    repository: Repository, script: str, codes: list[str]
) -> None:
    assert repository.codes("install.sh", f"{script}\n") == codes


@pytest.mark.parametrize(
    ("asked", "codes"), [("pyproject.toml", []), ("pyproject.toml .[cuda]", ["ROC201"])]
)
def test_extras_that_nobody_asks_for_are_not_installed(
    repository: Repository, asked: str, codes: list[str]
) -> None:
    extra = '[project.optional-dependencies]\ncuda = ["vllm==0.11.2"]\n'
    repository.write("pyproject.toml", f'{PROJECT}dependencies = ["numpy"]\n{extra}')
    assert repository.codes("install.sh", f"{ROCM}uv pip install -r {asked}\n") == codes


@pytest.mark.parametrize(
    ("settings", "codes"),
    [("managed = true", ["ROC201"]), (f'index-url = "{SERVER}/rocm6.4"', [])],
)
def test_settings_of_uv_count_where_they_name_rocm(
    repository: Repository, settings: str, codes: list[str]
) -> None:
    repository.write("pyproject.toml", f"[tool.uv]\n{settings}\n")
    text = "export HSA_OVERRIDE_GFX_VERSION=11.0.0\nuv pip install vllm==0.11.2\n"
    assert repository.codes("install.sh", text) == codes


@pytest.mark.parametrize(
    ("index", "described"),
    [("rocm6.4", "ROCm torch 2.9 ("), ("nightly/rocm6.4", "ROCm torch (")],
)
def test_of_a_nightly_build_no_version_is_told(
    repository: Repository, index: str, described: str
) -> None:
    text = f"pip install torch --index-url {SERVER}/{index}\npip install xformers==0.0.32.post2\n"
    (found,) = repository.lint("install.sh", text)
    assert described in found.message


PIN = "torch==2.8.0\n"


LIST = "RUN pip install -r /r/list.txt\n"


def test_the_container_of_another_job_says_nothing_of_this_one(repository: Repository) -> None:
    text = (
        "jobs:\n  rocm:\n    container: rocm/pytorch:rocm7.2_pytorch_release_2.9.1\n"
        "    steps:\n      - run: pip install vllm==0.11.2\n"
        "  other:\n    container: ubuntu\n    steps:\n      - run: pip install vllm==0.11.2\n"
    )
    first, second = repository.lint(".github/workflows/test.yml", text)
    assert "2.9.1 (of the image" in first.message
    assert "of the image" not in second.message


def test_an_install_is_parsed_once(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = install._parsed

    def counted(command: Command) -> install.Install | None:
        parsed.append(command.words[-1].text)
        return parse(command)

    monkeypatch.setattr(install, "_parsed", counted)
    packages = [f"a{number}" for number in range(30)]
    text = IMAGE + "".join(f"RUN pip install accelerate {each}\n" for each in packages)
    repository.lint("Dockerfile", text)
    assert parsed == packages


FOR_ROCM = "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4"


FROM_PYPI = "pip install --upgrade torch"


@pytest.mark.parametrize(
    "script",
    [
        f"if amd; then\n  {FOR_ROCM}\nelse\n  {FROM_PYPI}\nfi\n",
        f"if {FOR_ROCM}; then\n  echo ok\nelse\n  {FROM_PYPI}\nfi\n",
        f"case $GPU in\n  amd) {FOR_ROCM} ;;\n  *) {FROM_PYPI} ;;\nesac\n",
        f"setup() {{\n  if amd; then\n    {FOR_ROCM}\n    return\n  fi\n  {FROM_PYPI}\n}}\n",
        f"if amd; then\n  {FOR_ROCM}\n  exit 0\nfi\n{FROM_PYPI}\n",
        f"amd || {{ {FROM_PYPI}; exit; }}\n{FOR_ROCM}\n",
        f"bash -c 'if amd; then {FOR_ROCM}; else {FROM_PYPI}; fi'\n",
    ],
)
def test_an_install_in_another_branch_is_for_other_machines(
    repository: Repository, script: str
) -> None:
    assert repository.codes("install_rocm.sh", script) == []


@pytest.mark.parametrize(
    "script",
    [
        f"if amd; then\n  {FOR_ROCM}\nfi\n{FROM_PYPI}\n",
        f"if amd; then\n  {FOR_ROCM}\n  cat <<EOF\nelse\nEOF\n  {FROM_PYPI}\nfi\n",
        f"if amd; then\n  {FOR_ROCM}\nfi\necho 'to leave, type exit'\n{FROM_PYPI}\n",
        f"if amd; then\n  {FOR_ROCM}\n  (cd src && exit)\nfi\n{FROM_PYPI}\n",
        f"if amd; then\n  {FOR_ROCM} || exit 1\nfi\n{FROM_PYPI}\n",
        f"setup() {{\n  if amd; then\n    {FOR_ROCM}\n    return\n  fi\n  }}\n{FROM_PYPI}\n",
        f"if amd; then {FOR_ROCM}; fi; if new; then a; else {FROM_PYPI}; fi\n",
    ],
)
def test_an_install_behind_that_of_the_rocm_build_replaces_it(
    repository: Repository, script: str
) -> None:
    assert repository.codes("install_rocm.sh", script) == ["ROC201"]


def test_a_step_of_a_workflow_is_not_left_with_the_one_before(repository: Repository) -> None:
    steps = "".join(
        f"      - run: |\n          {step}\n"
        for step in (f"if amd; then {FOR_ROCM}; exit 0; fi", FROM_PYPI)
    )
    text = f"jobs:\n  rocm:\n    runs-on: amd\n    steps:\n{steps}"
    assert repository.codes(".github/workflows/rocm.yml", text) == ["ROC201"]


def test_torch_and_its_family_in_one_command_are_reported_once(repository: Repository) -> None:
    (found,) = repository.lint("install_rocm.sh", "pip install torch torchvision torchaudio\n")
    assert found.message == "pip installs `torch` from PyPI, the CUDA build"


def test_what_another_job_of_a_workflow_installs_is_not_there(repository: Repository) -> None:
    job = "    container: rocm/vllm-dev:nightly\n    steps:\n      - run: pip install {}\n"
    index = "--index-url https://download.pytorch.org/whl/rocm6.4"
    first = "jobs:\n  test:\n" + job.format(f"torch==2.9.1 {index}")
    path = ".github/workflows/test.yml"
    apart = repository.lint(path, first + "  speed:\n" + job.format("triton==3.2.0"))
    together = repository.lint(
        path, first + "      - run: pip install triton==3.2.0\n", preview=True
    )
    assert [(each.code, "2.9.1" in each.message) for each in together] == [("ROC209", True)]
    assert not [each for each in apart if "2.9.1" in each.message]


ROCM_TORCH = "pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/rocm6.4\n"
CLONE = "git clone https://github.com/vllm-project/vllm.git\n"
LIST = f'{PROJECT}dependencies = ["torch==2.9.0", "vllm"]\n'


@pytest.mark.parametrize(
    ("steps", "codes"),
    [
        ("pip install -e vllm --no-build-isolation\npip install -e .\n", []),
        ("(cd vllm && python setup.py develop)\npip install -e .\n", []),
        ("pip install -e vllm --no-build-isolation\npip install -U -e .\n", ["ROC201"]),
    ],
)
def test_a_package_that_is_built_from_its_clone_stays(
    repository: Repository, steps: str, codes: list[str]
) -> None:
    repository.write("pyproject.toml", f'{PROJECT}dependencies = ["vllm"]\n')
    assert repository.codes("setup.sh", ROCM_TORCH + CLONE + steps) == codes


def test_beside_a_pinned_torch_pip_takes_a_release_that_goes_with_it(
    repository: Repository,
) -> None:
    (found,) = repository.lint("setup.sh", f"{ROCM_TORCH}pip install torch==2.9.0 vllm\n")
    assert found.message == "PyPI's `vllm` is built for CUDA: its kernels do not run on ROCm"


@pytest.mark.parametrize(
    ("folder", "codes"),
    [
        ("$WORKSPACE", ["ROC201"]),
        ("$WORKSPACE/vllm", []),
        ("${WORKSPACE}/forge", []),
        ("$HOME/server_repo", []),
        ("$HOME/$REPO", []),
    ],
)
def test_another_folder_than_that_of_the_project_holds_another_project(
    repository: Repository, folder: str, codes: list[str]
) -> None:
    repository.write("pyproject.toml", LIST)
    text = f'{ROCM_TORCH}(cd "{folder}" && pip install -e .)\n'
    assert repository.codes("setup.sh", text) == codes


def test_a_folder_below_that_of_the_script_is_one_of_the_project(repository: Repository) -> None:
    repository.write("server/pyproject.toml", LIST)
    text = f'{ROCM_TORCH}(cd "$SCRIPT_DIR/server" && pip install -e .)\n'
    assert repository.codes("setup.sh", text) == ["ROC201"]


CLONED = "git clone https://github.com/example/trainer\ncd trainer\n"
LISTED = "pip install -r requirements.txt\n"


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        pytest.param(f"{ROCM}{CLONED}{LISTED}", ["ROC210"], id="in the same environment"),
        pytest.param(
            f"{ROCM}{CLONED}python -m venv .venv\nsource .venv/bin/activate\n{LISTED}{ROCM}",
            [],
            id="in a new one, before it gets its own torch",
        ),
        pytest.param(
            f"{ROCM}{CLONED}uv venv\n. ./.venv/bin/activate\n{LISTED}", [], id="uv makes it"
        ),
        pytest.param(f"{ROCM}{CLONED}virtualenv env\nenv/bin/{LISTED}", [], id="its pip is called"),
        pytest.param(
            f"{ROCM}{CLONED}conda create -n b python=3.12 -y\nconda activate b\n{LISTED}",
            [],
            id="conda makes it",
        ),
        pytest.param(
            f"{ROCM}{CLONED}python -m venv --system-site-packages e\n. e/bin/activate\n{LISTED}",
            ["ROC210"],
            id="it has what the system has",
        ),
        pytest.param(
            f"python -m venv e\n. e/bin/activate\n{ROCM}{CLONED}{LISTED}",
            ["ROC210"],
            id="made before both",
        ),
        pytest.param(
            f"{ROCM}{CLONED}python -m venv other\n{LISTED}", [], id="perhaps not activated"
        ),
    ],
)
def test_a_torch_is_not_in_an_environment_that_is_made_after_it(
    repository: Repository, script: str, codes: list[str]
) -> None:
    assert repository.codes("install.sh", script, preview=True) == codes
