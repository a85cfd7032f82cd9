"""Which version of a package counts for a file: installed, locked, declared, or only told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from rocmlint.errors import ConfigError
from rocmlint.project.environment import site_folders
from rocmlint.published import requirements as published
from rocmlint.source.document import Document
from tests.support.repositories import GONE, candidates, install, lint, versions, write

pytestmark = pytest.mark.usefixtures("in_repository")


def test_a_pin_counts_as_it_is() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    assert versions() == ["4.48.1"]
    assert candidates()[0].certain


def test_of_a_range_the_newest_release_in_it_counts() -> None:
    write("requirements.txt", "transformers>=4.48,<4.50\n")
    assert versions() == ["4.49.0"]
    assert candidates()[0].certain


def test_an_open_requirement_is_not_certain() -> None:
    write("requirements.txt", "transformers>=4.48\n")
    (found,) = candidates()
    assert not found.certain
    assert found.lowest == Version("4.48")


def test_without_any_requirement_the_newest_release_counts() -> None:
    (found,) = candidates()
    assert not found.certain
    assert "nothing declares transformers" in found.said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "```\nconda create -n job python=3.10 -y\n```\n"),
        ("setup.slurm", "#SBATCH -N 1\nconda create -n job python=3.10 -y\n"),
        ("README.md", "uv venv --python 3.10\n"),
        ("install.sh", "python3.10 -m venv .venv\n"),
        ("environment.yml", "dependencies:\n  - python=3.10\n  - pip\n"),
        ("Dockerfile", "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_2.5\n"),
        ("Dockerfile", "FROM python:3.10-slim\n"),
        (".python-version", "3.10\n"),
        ("cog.yaml", 'build:\n  python_version: "3.10"\n'),
    ],
)
def test_a_release_that_needs_a_newer_python_than_the_project_runs_on_does_not_count(
    name: str, text: str
) -> None:
    write("requirements.txt", "transformers\n")
    write(name, text)
    (found,) = candidates()
    assert Version("5.0") < found.version < Version("5.23")
    assert found.said.endswith("allows on Python 3.10")


@pytest.mark.parametrize(
    ("torch", "newest"),
    [("torch==1.9.1+cu111", "4.57.6"), ("torch<1.7.1", "4.46.3"), ("torch>=1.9", "5.24.0")],
)
def test_a_torch_without_wheels_for_a_newer_python_keeps_the_project_on_an_older_one(
    torch: str, newest: str
) -> None:
    write("requirements.txt", f"{torch}\ntransformers\n")
    assert versions()[-1] == newest


def test_where_a_torch_keeps_the_project_on_an_older_python_it_is_named() -> None:
    write("requirements.txt", "torch==1.9.1\ntransformers\n")
    (found,) = candidates()
    assert found.said.endswith("allows with `torch==1.9.1`")


def test_the_newest_python_that_is_named_counts_and_a_minimum_names_none() -> None:
    write("requirements.txt", "transformers\n")
    write("README.md", "Python 3.10+ is required.\n")
    write("Dockerfile", "FROM python:3.10\n")
    write("dev.Dockerfile", "FROM python:3.13\n")
    assert versions() == ["5.24.0"]


def test_a_constraint_holds_for_each_group() -> None:
    write("requirements.txt", "-c constraints.txt\ntransformers\n")
    write("constraints.txt", "transformers<4.52\n")
    assert versions() == ["4.51.3"]


def test_what_a_source_distribution_requires_counts() -> None:
    write("setup.py", "setup(install_requires=open('requirements.txt').readlines())\n")
    write(
        "PKG-INFO",
        "Metadata-Version: 2.1\nRequires-Dist: transformers>=4\n"
        'Requires-Dist: transformers<4.47; extra == "old"\n\nRequires-Dist: transformers==4.1\n',
    )
    assert versions()[0] == "4.46.3"
    write("PKG-INFO", "Metadata-Version: 2.1\nRequires-Dist: transformers==4.48.0\n")
    (found,) = candidates()
    assert (str(found.version), found.said) == ("4.48.0", "pinned in PKG-INFO")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("PKG-INFO", "Requires-Dist: transformers (>=4.30<4.40)"),
        ("requirements.txt", "transformers>=4.30<4.40"),
        ("requirements.txt", "transformers=4.30"),
    ],
)
def test_of_a_requirement_that_is_not_valid_the_version_is_unknown(name: str, line: str) -> None:
    write(name, f"Metadata-Version: 1.2\n{line}\n" if name == "PKG-INFO" else f"{line}\n")
    assert versions() == []


def test_a_sentence_among_requirements_names_no_package() -> None:
    write("requirements.txt", "transformers>=4.48,<4.50\ntransformers is what we build on\n")
    assert versions() == ["4.49.0"]


def test_of_an_older_source_distribution_the_list_beside_counts() -> None:
    write("job.egg-info/requires.txt", "transformers~=4.48.0\n\n[dev]\npytest\n")
    assert versions() != ["4.48.3"]  # in a checkout it may be as old as the last installation
    write("PKG-INFO", "Metadata-Version: 1.2\n")
    assert versions() == ["4.48.3"]


def test_what_is_always_required_holds_in_each_extra() -> None:
    write(
        "pyproject.toml",
        '[project]\nname="job"\ndependencies=["transformers<4.52"]\n'
        '[project.optional-dependencies]\nold=["transformers<4.50"]\n',
    )
    assert versions() == ["4.49.0", "4.51.3"]


def test_markers_that_exclude_each_other_are_two_candidates() -> None:
    write(
        "requirements.txt",
        "transformers<4.50; python_version < '3.10'\ntransformers<4.52; python_version >= '3.10'\n",
    )
    assert versions() == ["4.49.0", "4.51.3"]


def test_what_holds_under_a_marker_holds_under_it_in_each_extra() -> None:
    write(
        "pyproject.toml",
        "[project]\nname='job'\ndependencies=['transformers<4.52; python_version >= \"3.9\"']\n"
        "[project.optional-dependencies]\n"
        "new=['transformers>=4.48; python_version >= \"3.9\"']\n",
    )
    assert versions() == ["4.51.3", "4.51.3"]


@pytest.mark.parametrize(
    ("specifier", "lowest"), [(">=4.40,>=4.50", "4.50"), ("~=4.40,>=4.45", "4.45"), ("<5", None)]
)
def test_of_several_lower_bounds_the_highest_holds(specifier: str, lowest: str | None) -> None:
    write("requirements.txt", f"transformers{specifier}\n")
    assert candidates()[0].lowest == (None if lowest is None else Version(lowest))


def test_a_release_that_was_taken_back_is_not_the_newest() -> None:
    assert published.is_yanked("transformers", Version("4.46.0"))
    write("requirements.txt", "transformers<=4.46.0\n")
    assert versions() == ["4.45.2"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git+https://github.com/huggingface/transformers.git@v4.49.0", ["4.49.0"]),
        ("git+https://github.com/huggingface/transformers@v4.49.0", ["4.49.0"]),
        ("git+ssh://git@github.com/someone/transformers@v4.49.0#egg=transformers", ["4.49.0"]),
        ("git+https://github.com/huggingface/transformers.git@8ee50537fe7613b8", []),
        ("git+https://github.com/huggingface/transformers@our-branch", []),
        ("git+https://github.com/someone/transformers", []),
    ],
)
def test_of_a_url_a_tag_tells_the_version(url: str, expected: list[str]) -> None:
    write("requirements.txt", f"transformers @ {url}\n")
    assert versions() == expected


@pytest.mark.parametrize("end", ["", ".git", "@main", ".git@main#egg=transformers"])
def test_the_newest_commit_is_no_older_than_the_newest_release(end: str) -> None:
    write(
        "requirements.txt", f"transformers @ git+https://github.com/huggingface/transformers{end}"
    )
    (found,) = candidates()
    assert found.version == published.newest("transformers", SpecifierSet())
    assert not found.certain


def test_requirements_that_no_release_meets_tell_nothing() -> None:
    write("requirements.txt", "transformers>=4.48,<4.40\n")
    assert versions() == []


def test_the_nearest_folder_with_a_requirement_counts() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("apps/chat/requirements.txt", "transformers==4.50.0\n")
    assert versions("apps/chat/job.py") == ["4.50.0"]
    assert versions("apps/job.py") == ["4.48.1"]


def test_another_requirement_may_rule_the_newest_releases_out() -> None:
    write("requirements.txt", "transformers\nhuggingface-hub<1.0\n")
    (found,) = candidates()
    assert found.version < Version("5.0")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n'),
        ("poetry.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\npython = ">=3"\n'),
        ("pdm.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n'),
        ("Pipfile.lock", '{"default": {"transformers": {"version": "==4.48.1"}}}'),
    ],
)
def test_a_lock_file_says_more_than_a_requirement(name: str, text: str) -> None:
    write("requirements.txt", "transformers>=4.40\n")
    write(name, text)
    (found,) = candidates()
    assert (str(found.version), found.certain) == ("4.48.1", True)
    assert name in found.said


def test_a_lock_file_that_nests_too_deeply_says_nothing() -> None:
    deep = f"extra = {'[' * 5000}{']' * 5000}"
    write("uv.lock", f'[[package]]\nname = "transformers"\nversion = "4.48.1"\n{deep}\n')
    write("requirements.txt", "transformers>=4.52,<4.54\n")
    assert versions() == ["4.53.3"]


def test_a_lock_file_that_the_requirements_beside_it_exclude_does_not_count() -> None:
    write("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n')
    write("requirements.txt", "transformers>=4.52,<4.54\n")
    assert versions() == ["4.53.3"]


def test_a_lock_file_of_an_inner_folder_is_named_by_its_path() -> None:
    write("server/poetry.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n')
    assert candidates("server/job.py")[0].said == "locked in server/poetry.lock"


@given(st.text())
def test_a_broken_lock_file_is_as_none(text: str) -> None:
    for name in ("uv.lock", "Pipfile.lock"):
        Path(name).write_bytes(
            f'{text}[[package]]\nname = "transformers'.encode("utf-8", "replace")
        )
    assert all(not each.certain for each in candidates())


def test_an_environment_says_more_than_a_lock_file() -> None:
    write("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n')
    install(".venv/lib/python3.11/site-packages", "4.57.6", utils="")
    (finding,) = lint(GONE, environment=".venv")
    assert finding.help.startswith("transformers 4.57.6 is installed in .venv. ")
    assert finding.severity == "error"


def test_a_file_among_installed_packages_runs_with_what_lies_beside_it() -> None:
    install("site", "4.57.6")
    write("site/peft/__init__.py", "")
    (found,) = candidates("site/peft/utils/job.py")
    assert str(found.version) == "4.57.6"


def test_an_unpacked_wheel_says_what_it_requires() -> None:
    write("job-1.0.dist-info/METADATA", "Requires-Dist: transformers<4.50\n\nText\n")
    write("job/deep/inside.py", "")
    Path(".git").rmdir()
    assert versions("job/deep/inside.py") == ["4.49.0"]


def test_a_requirement_of_the_file_itself_is_told_so() -> None:
    text = '# /// script\n# dependencies = ["transformers==4.57.6"]\n# ///\n'
    (finding,) = lint(f"{text}{GONE}")
    assert finding.help.startswith("transformers 4.57.6 is pinned in this file. ")


def test_the_metadata_of_a_script_say_more_than_its_checks() -> None:
    text = (
        '# /// script\n# dependencies = ["transformers==4.57.6"]\n# ///\n'
        "from transformers.utils.versions import require_version\n"
        'require_version("transformers>=4.40")\n'
    )
    (found,) = Document("job.py", text).versions("transformers")
    assert (str(found.version), found.said) == ("4.57.6", "pinned in this file")


def test_what_a_file_upgrades_itself_does_not_hold_its_other_packages_back() -> None:
    write("requirements.txt", "transformers~=4.32.1\n")
    script = "get_ipython().system('pip install {}')\nget_ipython().system('pip install trl')\n"
    (held,) = Document("job.py", script.format("wandb")).versions("trl")
    (free,) = Document("job.py", script.format("transformers -U")).versions("trl")
    assert held.version < Version("0.20") < free.version


# What contradicts


def write_stale_list() -> None:
    """Make a project like xtuner: the list beside its pyproject.toml was forgotten."""
    write("pyproject.toml", '[project]\nname="job"\ndependencies=["transformers==4.57.6"]\n')
    write("requirements/runtime.txt", "transformers==4.50.0\n")
    write("job/__init__.py", "")


def test_beside_a_package_files_may_run_with_either_of_two_lists_that_contradict() -> None:
    write_stale_list()
    assert versions("tools/run.py") == ["4.50.0", "4.57.6"]
    assert versions("job/model.py") == ["4.57.6"]


@pytest.mark.parametrize("beside", ["transformers>=4.40", "transformers==4.57.6", "transformers"])
def test_a_list_that_agrees_with_the_project_file_counts_beside_it(beside: str) -> None:
    write("pyproject.toml", '[project]\nname="job"\ndependencies=["transformers<=4.57.6"]\n')
    write("requirements.txt", f"{beside}\n")
    write("job/__init__.py", "")
    assert len(candidates("job/model.py")) == 2


# Environments


def test_an_environment_is_found_by_its_folder_and_its_interpreter() -> None:
    site = Path("venv/lib/python3.12/site-packages").absolute()
    site.mkdir(parents=True)
    write("venv/bin/python", "")
    assert site_folders(str(Path("venv").absolute())) == (str(site),)
    assert site_folders(str(Path("venv/bin/python").absolute())) == (str(site),)


def test_with_system_packages_the_base_interpreter_comes_last() -> None:
    for each in ("venv", "base"):
        Path(each, "lib", "python3.12", "site-packages").mkdir(parents=True)
    home = Path("base/bin").absolute()
    write("venv/pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = true\n")
    found = site_folders(str(Path("venv").absolute()))
    assert [Path(each).parts[-4] for each in found] == ["venv", "base"]


def test_an_environment_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="is not an interpreter, a virtual environment"):
        lint(GONE, environment="nothing")
