"""Which version of a package counts for a file: installed, locked, declared, or only told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from rocmlint.errors import ConfigError
from rocmlint.project.environment import site_folders
from rocmlint.published import requirements as published
from rocmlint.source.document import Document
from tests.support.repositories import GONE, NEW, candidates, install, lint, versions, write

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
    [("torch==1.9.1+cu111", "4.57.6"), ("torch<1.7.1", "4.46.3"), ("torch>=1.9", "5.23.0")],
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
    assert versions() == ["5.23.0"]


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
        ("git+https://github.com/huggingface/transformers.git", []),
        ("git+https://github.com/huggingface/transformers.git@8ee50537fe7613b8", []),
    ],
)
def test_of_a_url_only_a_tag_tells_the_version(url: str, expected: list[str]) -> None:
    write("requirements.txt", f"transformers @ {url}\n")
    assert versions() == expected


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


# What is said where no tool reads it


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("README.md", "```bash\npip install -q transformers==4.48.1 datasets\n```\n", ["4.48.1"]),
        ("README.md", "Run `pip install \\\n    transformers==4.48.1` first.\n", ["4.48.1"]),
        ("INSTALL.md", "pip install transformers==4.48.1\n", ["4.48.1"]),
        ("Dockerfile", "FROM rocm/pytorch\nRUN pip install transformers==4.48.1\n", ["4.48.1"]),
        ("setup.py", '_deps = ["trl==0.18.0", "transformers[torch]==4.48.1"]\n', ["4.48.1"]),
        (
            "README.md",
            "pip install transformers==4.48.1\n\nFor Qwen: pip install transformers==4.50.0\n",
            ["4.48.1", "4.50.0"],
        ),
        ("README.md", "pip install git+https://github.com/huggingface/transformers\n", []),
        ("README.md", "pip install transformers --index-url https://x.org/nightly/cpu\n", []),
        ("requirements.txt", "git+https://github.com/huggingface/transformers.git\n", []),
    ],
)
def test_without_a_requirement_what_the_project_installs_counts(
    name: str, text: str, expected: list[str]
) -> None:
    write(name, text)
    assert versions("src/job.py") == expected


_IMAGE = "FROM ubuntu\nARG VERSION=4.48.1\nRUN pip install transformers==${VERSION}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".github/workflows/image.yml", "build-args: |\n  VERSION=${{ matrix.version }}\n"),
        ("docker/compose.yaml", "args:\n  VERSION: 4.50.0\n"),
        ("build.sh", "docker build --build-arg VERSION=$NEWER .\n"),
    ],
)
def test_a_version_that_builds_of_an_image_set_is_unknown(name: str, text: str) -> None:
    write("docker/Dockerfile", _IMAGE)
    assert versions() == ["4.48.1"]
    write(name, text)
    assert versions() == []


def write_copy_with_list() -> None:
    """Make a project that runs code of others, with their list, in an environment of its own."""
    write("parts/Other/requirements.txt", "transformers==4.48.1\n")
    write("run.py", "import sys\n\nsys.path.insert(0, 'parts/Other')\n")
    write("scripts/install.sh", "pip install torch transformers\n")


def test_code_of_others_may_run_with_what_the_whole_project_installs() -> None:
    write_copy_with_list()
    assert versions("parts/Other/nets/blocks.py") == ["4.48.1", "5.23.0"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scripts/install.sh", "pip install transformers -r parts/Other/requirements.txt\n"),
        ("scripts/install.sh", "pip install transformers\ncd parts/Other && pip install .\n"),
        ("run.py", "import subprocess\n"),
        ("README.md", "pip install -r parts/Other/requirements.txt\n"),
    ],
    ids=["the list is read", "its folder is installed", "nothing runs it", "a README reads it"],
)
def test_its_own_list_counts_alone_where_that_is_what_is_installed(name: str, text: str) -> None:
    write_copy_with_list()
    write(name, text)
    assert versions("parts/Other/nets/blocks.py") == ["4.48.1"]


def test_a_requirement_in_a_comment_says_nothing() -> None:
    write("setup.py", '_deps = [\n    # "transformers==4.48.1",\n]\n')
    assert "nothing declares transformers" in candidates()[0].said


def test_a_requirement_says_more_than_a_readme_beside_it() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("README.md", "pip install transformers==4.50.0\n")
    assert versions("src/job.py") == ["4.48.1"]


@pytest.mark.parametrize(
    ("installed", "expected"),
    [("transformers==4.50.0", ["4.48.1", "4.50.0"]), ("transformers", ["4.48.1"])],
)
def test_the_readme_of_a_folder_below_may_ask_for_another_version_too(
    installed: str, expected: list[str]
) -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("research/README.md", f"pip install {installed}\n")
    assert versions("research/job.py") == expected


def test_a_repository_without_a_tag_stands_for_the_newest_release_beside_a_pin() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("research/README.md", "pip install git+https://github.com/huggingface/transformers\n")
    newest = str(published.releases("transformers")[-1])
    assert versions("research/job.py") == ["4.48.1", newest]
    assert lint(GONE + NEW, "research/job.py") == []


@pytest.mark.parametrize(
    "path", ["docker/Dockerfile", "docker/Dockerfile.rocm", "docs/install.md", "docs/INSTALL.md"]
)
def test_what_the_folders_docker_and_docs_beside_the_code_install_counts(path: str) -> None:
    write(path, "RUN pip install transformers==4.48.1\n")
    assert versions("src/job.py") == ["4.48.1"]


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("scripts/install_all.sh", True),
        ("scripts/setup.sh", True),
        ("scripts/train.sh", False),
    ],
)
def test_of_the_folder_scripts_beside_the_code_only_what_installs_counts(
    path: str, *, counts: bool
) -> None:
    write(path, "pip install transformers==4.48.1\n")
    assert (versions("src/job.py") == ["4.48.1"]) is counts


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("scripts/install.sh", "pip install transformers==4.48.1\n"),
        ("requirements.txt", "transformers==4.48.1\n"),
        ("models/README.md", "pip install transformers==4.48.1\n"),
    ],
)
def test_where_a_requirement_names_no_version_what_the_project_names_may_hold(
    path: str, text: str
) -> None:
    write("models/requirements.txt", "transformers\n")
    write(path, text)
    assert "4.48.1" in versions("models/job.py")
    assert lint(GONE, "models/job.py") == []


def test_the_requirements_of_a_documentation_are_not_those_of_the_code() -> None:
    write("docs/requirements.txt", "transformers==4.48.1\n")
    write("docs/build.sh", "pip install transformers==4.48.1\n")
    assert not candidates("src/job.py")[0].certain


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("```\ntorch==2.0.1\ntransformers==4.33.2\npeft==0.8.2\n```\n", ["4.33.2"]),
        ("```text\ntransformers == 4.33.2  # as trained\n```\n", ["4.33.2"]),
        ("```\npython train.py\ntransformers==4.33.2\n```\n", None),
        ("```\ntransformers\n```\n", None),
        ("torch==2.0.1\ntransformers==4.33.2\n", None),
    ],
)
def test_a_code_block_of_a_readme_whose_lines_are_requirements_counts(
    block: str, expected: list[str] | None
) -> None:
    write("finetune/README.md", f"Our scripts are based on:\n\n{block}")
    found = candidates("finetune/job.py")
    assert ([str(each.version) for each in found] if found[0].declared else None) == expected


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        (
            "# Dependency:\npython  3.9 <br>\ntorch\t\t1.13.1 <br>\ntransformers  4.33.2 <br>\n",
            "4.33.2",
        ),
        (
            "## Requirements\n- Python: 3.9\n- PyTorch: 2.0.1+cu118\n- `transformers` 4.33\n",
            "4.33.3",
        ),
        ("Environment\n===\n|Python|3.9|\n|torch|2.0.1|\n|**Transformers**|`4.33.2`|\n", "4.33.2"),
        ("# Environment\n```\nnumpy 1.26.4\ntorch 2.0.1\ntransformers   4.33.2\n```\n", "4.33.2"),
        ("# Requirements\nPython 3.9+\ntorch 2.0.1+\ntransformers 4.33.2+\nnumpy 1.26\n", None),
        ("# Requirements\ntransformers 4.33.2\n", None),
        ("# Results\nbleu 27.1\ntorch 2.0.1\ntransformers 4.33.2\n", None),
        ("# Requirements\nsee there\n# Tried\npython 3.9\ntorch 2.0\ntransformers 4.33.2\n", None),
        (
            "# Requirements\ntorch 2.0\nnumpy 1.26\ntransformers 4.33.2\ntransformers 4.50.0\n",
            None,
        ),
    ],
    ids=[
        *("lines", "a list", "a table", "a block", "lower bounds", "one line", "another section"),
        *("the next section", "several versions"),
    ],
)
def test_a_section_of_a_readme_that_lists_packages_with_versions_counts(
    section: str, expected: str | None
) -> None:
    write("finetune/README.md", f"# Finetuning\n\n{section}")
    (found,) = candidates("finetune/job.py")
    assert (str(found.version) if found.declared else None) == expected


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ('pip install -e "model/.[train]"', ["4.48.1"]),
        ("pip install ./model", ["4.48.1"]),
        ("cd model && pip install -e .", ["4.48.1"]),
        ("cd model\n$ pip install -e .", ["4.48.1"]),
    ],
)
def test_of_a_project_that_a_readme_installs_the_requirements_count(
    installed: str, expected: list[str]
) -> None:
    write("README.md", f"```bash\n{installed}\n```\n")
    write(
        "model/pyproject.toml",
        '[project]\nname="model"\n[project.optional-dependencies]\n'
        'train=["transformers==4.48.1"]\n',
    )
    write("other/requirements.txt", "transformers==4.57.6\n")
    assert versions("patches/job.py") == expected


def test_a_project_that_a_readme_installs_may_hide_its_version() -> None:
    """LongVA: a commit of transformers, required by the project in a folder of its own."""
    write("README.md", 'pip install -e "longva/.[train]"\n')
    url = "git+https://github.com/huggingface/transformers.git@1c39974a4c4036fd64"
    write("longva/pyproject.toml", f'[project]\nname="l"\ndependencies=["transformers@{url}"]\n')
    assert versions("easy_context/patch.py") == []


def test_the_only_project_below_the_root_counts_for_files_beside_it_as_a_guess() -> None:
    write("server/requirements.txt", "transformers==4.48.1\n")
    (found,) = candidates("eval/job.py")
    assert (str(found.version), found.certain) == ("4.48.1", False)


def test_of_several_projects_below_the_root_nobody_knows_which_one_counts() -> None:
    """rocm-blogs: one folder a blog, some of which declare something."""
    write("server/requirements.txt", "transformers==4.48.1\n")
    write("client/requirements.txt", "numpy\n")
    assert versions("eval/job.py") == []


# What others require


def test_a_release_that_another_requirement_rules_out_is_not_the_newest() -> None:
    """optimum-amd: each transformers before 5 requires huggingface-hub before 1."""
    write("requirements.txt", "transformers>=4.38,<5\nhuggingface-hub\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")


def test_a_package_that_another_requirement_brings_has_the_version_that_this_allows() -> None:
    write("requirements.txt", "transformers>=4.38,<5\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")
    assert found.declared
    assert "`transformers<5,>=4.38`" in found.said
    assert found.lowest is None


def test_what_the_same_command_installs_rules_releases_out_too() -> None:
    """An image of kyuz0: unsloth_zoo 2026.1.4 requires transformers up to 4.57.6."""
    write("Dockerfile", "RUN pip install transformers peft unsloth_zoo==2026.1.4 trl\n")
    assert versions() == ["4.57.6"]


def test_what_a_notebook_installs_rules_releases_out_too() -> None:
    text = "# /// script\n# dependencies = ['transformers', 'unsloth-zoo==2026.1.4']\n# ///\n"
    (found,) = Document("job.py", text).versions("transformers")
    assert str(found.version) == "4.57.6"


def test_the_newest_release_that_a_bounded_requirement_allows_counts() -> None:
    """sentence-transformers 2.2.2: older transformers would take any huggingface-hub."""
    write("requirements.txt", "transformers>=4.6,<5\nhuggingface-hub>=0.4\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")
    assert found.said.endswith("allows with `transformers<5,>=4.6`")


def test_what_bounds_another_package_bounds_what_that_requires() -> None:
    """In invokeai 6.4 compel takes transformers before 5, and these huggingface-hub before 1."""
    write("requirements.txt", "compel==2.1.1\ntransformers>=4.40\nhuggingface-hub\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")


def test_of_an_open_requirement_of_another_package_the_newest_release_counts_today() -> None:
    """A later release of it may go with what it rules out now, so both may be installed."""
    write("requirements.txt", "transformers\nunsloth-zoo\n")
    today, some_day = candidates()
    assert today.version < some_day.version
    assert today.said.endswith("allows with `unsloth-zoo`")
    assert some_day.said.endswith("allows")


def test_a_bounded_requirement_that_only_older_releases_meet_rules_nothing_out() -> None:
    write("requirements.txt", "transformers>=4.6,<5\nhuggingface-hub>=2\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version >= Version("2")


# What contradicts


def write_stale_list() -> None:
    """Make a project like xtuner: the list beside its pyproject.toml was forgotten."""
    write("pyproject.toml", '[project]\nname="job"\ndependencies=["transformers==4.57.6"]\n')
    write("requirements/runtime.txt", "transformers==4.50.0\n")
    write("job/__init__.py", "")


@pytest.mark.parametrize("name", ["job/model.py", "tools/run.py"])
def test_files_may_run_with_either_of_two_lists_that_contradict(name: str) -> None:
    write_stale_list()
    assert versions(name) == ["4.50.0", "4.57.6"]


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


def test_a_pinned_package_bounds_what_it_requires() -> None:
    write("pyproject.toml", '[project]\nname="a"\ndependencies=["transformers", "compel==2.1.1"]\n')
    (found,) = candidates()
    assert found.version < Version("5")


@pytest.mark.parametrize(
    ("torch", "text", "known"),
    [
        ("1.12.0+cu113", "pip install accelerate", False),
        ("1.12.0+cu113", "pip install 'accelerate>=0.20'", True),
        ("2.4.0", "pip install accelerate", True),
    ],
)
def test_what_a_readme_installs_beside_a_torch_of_years_ago_is_as_old(
    torch: str, text: str, known: bool
) -> None:
    write("README.md", f"    {text}\n\n    pip install torch=={torch}\n")
    assert bool(candidates(package="accelerate")) == known


def test_what_a_list_of_requirements_asks_for_beside_an_old_torch_is_resolved_today() -> None:
    write("requirements.txt", "accelerate\ntorch==1.13.1\n")
    assert candidates(package="accelerate")
