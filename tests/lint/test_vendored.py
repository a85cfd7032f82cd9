"""Checkouts of well-known packages inside another project are left out, and said once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.discovery.discover import Discovery, discover

if TYPE_CHECKING:
    from pathlib import Path

SETUP = 'from setuptools import setup\nsetup(\n    name="transformers",\n    version="4.31.0",\n)\n'


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(root: Path, path: str = ".") -> tuple[list[str], Discovery]:
    settings = Settings(root=str(root), documents=False)
    discovery = discover([str(root / path)], lambda _: settings)
    return [str(each.path).removeprefix(f"{root}/") for each in discovery.files], discovery


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project with a copy of transformers, as FastV and H2O have some."""
    write(tmp_path, **{"demo.py": "", "src/transformers/setup.py": SETUP})
    write(tmp_path, **{"src/transformers/src/transformers/__init__.py": "", "src/job.py": ""})
    return tmp_path


def test_a_checkout_is_left_out_and_named_in_one_line(project: Path) -> None:
    files, discovery = found(project)
    assert files == ["demo.py", "src/job.py"]
    said = "not linted: a checkout of transformers; name the directory to lint it"
    assert discovery.remarks == [f"{project}/src/transformers: {said}"]


def test_a_checkout_that_is_named_itself_is_linted(project: Path) -> None:
    files, discovery = found(project, "src/transformers")
    assert files == ["src/transformers/setup.py", "src/transformers/src/transformers/__init__.py"]
    assert discovery.remarks == []


def test_a_submodule_is_a_checkout_and_a_clone_beside_the_project_is_none(project: Path) -> None:
    write(project, **{"src/transformers/.git": "gitdir: ../../.git/modules/transformers\n"})
    assert found(project)[0] == ["demo.py", "src/job.py"]
    (project / "src/transformers/.git").unlink()
    (project / "src/transformers/.git").mkdir()
    assert "src/transformers/setup.py" in found(project)[0]


@pytest.mark.parametrize(
    ("folder", "name", "text"),
    [
        ("transformers-4.31.0", "setup.py", SETUP),
        ("src/DeepSpeed", "setup.py", "setup(name='deepspeed')\n"),
        ("vendor/trl", "pyproject.toml", '[project]\nname = "trl"\nversion = "0.9"\n'),
    ],
)
def test_it_is_known_by_its_project_file(folder: str, name: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, **{"README.md": "", f"{folder}/{name}": text, f"{folder}/a.py": ""})
    assert found(tmp_path)[0] == []


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP, "sub/transformers/setup.py": SETUP},
        {"README.md": "", "python/pyproject.toml": '[project]\nname = "sglang"\n'},
        {"README.md": "", "transformers/setup.py": "setup(name='transformers_of_ours')\n"},
        {"README.md": "", "model/setup.py": "setup(name='m', requires=['transformers'])\n"},
        {"transformers/setup.py": SETUP},
    ],
    ids=["its own project", "its own repository", "another name", "a user", "a heap of checkouts"],
)
def test_what_is_no_checkout_in_another_project_is_linted(
    files: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, **files)
    assert found(tmp_path)[1].remarks == []


def test_a_release_that_was_unpacked_is_left_out_whatever_package_it_is(tmp_path: Path) -> None:
    setup = SETUP.replace("transformers", "torch_geometric")
    write(tmp_path, **{"README.md": "# Wheels", "pytorch_geometric-2.8.0/setup.py": setup})
    files, discovery = found(tmp_path)
    assert files == []
    assert "a checkout of torch-geometric" in discovery.remarks[0]


@pytest.mark.parametrize(
    "name", ["third_party", "ThirdParty", "3rdparty", "external", "submodules"]
)
def test_the_code_of_other_projects_is_left_out_and_named_in_one_line(
    name: str, tmp_path: Path
) -> None:
    write(tmp_path, **{f"src/{name}/llamafactory/hub.py": "", "src/train.py": ""})
    files, discovery = found(tmp_path)
    assert files == ["src/train.py"]
    said = "not linted: code of other projects; name the directory to lint it"
    assert discovery.remarks == [f"{tmp_path}/src/{name}: {said}"]
    assert found(tmp_path, f"src/{name}")[0] == [f"src/{name}/llamafactory/hub.py"]


@pytest.mark.parametrize("name", ["lib", "lib.linux-x86_64-cpython-311"])
def test_what_setuptools_built_is_left_out(name: str, tmp_path: Path) -> None:
    write(tmp_path, **{f"build/{name}/trainer/model.py": "", "lib/a.py": "", "build/b.py": ""})
    files, discovery = found(tmp_path)
    assert files == ["build/b.py", "lib/a.py"]
    said = "not linted: what setuptools built; name the directory to lint it"
    assert discovery.remarks == [f"{tmp_path}/build/{name}: {said}"]


def test_a_vendor_directory_is_the_code_of_others_at_the_root_alone(tmp_path: Path) -> None:
    write(tmp_path, **{"vendor/wan/model.py": "", "studio/vendor/agent.py": ""})
    assert found(tmp_path)[0] == ["studio/vendor/agent.py"]


def test_a_file_called_like_the_code_of_others_is_linted(tmp_path: Path) -> None:
    write(tmp_path, **{"external.py": "", "external_models/a.py": "", "externality/b.py": ""})
    assert found(tmp_path)[1].remarks == []


@pytest.mark.parametrize(
    "name",
    [
        *("archive", "Archived", "old", "retired_benchmarks", "olderVersions", "old_code"),
        *("unused", "_old", "trash"),
    ],
)
def test_an_archive_is_left_out_and_named_in_one_line(name: str, tmp_path: Path) -> None:
    write(tmp_path, **{f"{name}/install.sh": "", "train.py": ""})
    files, discovery = found(tmp_path)
    assert files == ["train.py"]
    said = "not linted: an archive; name the directory to lint it"
    assert discovery.remarks == [f"{tmp_path}/{name}: {said}"]
    assert found(tmp_path, name)[0] == [f"{name}/install.sh"]


@pytest.mark.parametrize(
    "path",
    ["deprecated/__init__.py", "archive_format/read.py", "old_models/a.py", "legacy/train.py"],
)
def test_a_package_that_is_called_so_and_other_names_are_linted(path: str, tmp_path: Path) -> None:
    write(tmp_path, **{path: ""})
    assert found(tmp_path)[0] == [path]


VERSION = "__version__ = version = '0.8.3.dev350+gc43debd43'\n"
COPY = {"vllm/__init__.py": "", "vllm/_version.py": VERSION, "vllm/models/a.py": ""}
USER = {"README.md": "# Gumiho", "requirements.txt": "transformers==4.36.2\n"}


@pytest.mark.parametrize(
    "files",
    [
        COPY,
        {"vllm/__init__.py": "", "vllm/version.py": '__version__ = "0.8.3"\n'},
        {"vllm/__init__.py": '__version__: str = "0.8.3"\n'},
    ],
    ids=["_version.py", "version.py", "__init__.py"],
)
def test_a_copied_package_that_says_its_version_is_left_out(
    files: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, **USER, **files, **{"job.py": "import vllm\n"})
    linted, discovery = found(tmp_path)
    assert linted == ["job.py", "requirements.txt"]
    said = "not linted: a copy of vllm; name the directory to lint it"
    assert discovery.remarks == [f"{tmp_path}/vllm: {said}"]
    assert f"{next(iter(files))}" in found(tmp_path, "vllm")[0]


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": "setup(name='vllm')\n"},
        {"setup.cfg": "[options]\npackages =\n    vllm\n"},
        {"pyproject.toml": '[tool.setuptools.packages.find]\ninclude = ["job*", "vllm*"]\n'},
        {"requirements.txt": "vllm==0.8.3\n"},
        {"requirements-rocm.txt": "vllm==0.8.3\n"},
        {"environment.yml": "dependencies:\n- vllm\n"},
        {"README.md": "<h1>vLLM for MI300</h1>\n"},
        {"vllm-0.8.3.dist-info/METADATA": "Name: vllm\n"},
        {"vllm/_version.py": "from ._build import __version__\n"},
        {"vllm/_version.py": "if vllm_version < '0.8.3':\n    raise SystemExit\n"},
        {"__init__.py": "from .vllm import engine\n"},
    ],
    ids=[
        *("its own project", "shipped with it", "shipped with it too", "required", "required too"),
        *("in the environment", "its own repository", "installed", "no version", "an adapter"),
        "part of a package",
    ],
)
def test_a_package_of_the_project_is_linted_though_another_one_has_its_name(
    files: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, **{**USER, **COPY, **files})
    assert "vllm/models/a.py" in found(tmp_path)[0]


def test_a_package_is_that_of_the_project_whichever_folder_is_linted(tmp_path: Path) -> None:
    write(tmp_path, **{"setup.py": "setup(name='vllm')\n", ".git/HEAD": ""})
    write(tmp_path, **{f"src/{name}": text for name, text in COPY.items()}, **{"src/a.py": ""})
    assert "src/vllm/models/a.py" in found(tmp_path, "src")[0]


@pytest.mark.parametrize("name", ["datasets", "evaluate", "tokenizers", "engine"])
def test_a_name_that_any_project_may_use_says_nothing(name: str, tmp_path: Path) -> None:
    write(tmp_path, **USER, **{f"{name}/__init__.py": '__version__ = "1.0.0"\n'})
    assert f"{name}/__init__.py" in found(tmp_path)[0]
