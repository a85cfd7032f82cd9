"""Which versions the documents, scripts and images of a project tell, where no tool reads them."""

from __future__ import annotations

import pytest

from rocmlint.published import requirements as published
from tests.support.repositories import GONE, NEW, candidates, lint, versions, write

pytestmark = pytest.mark.usefixtures("in_repository")


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
        ("README.md", "pip install git+https://github.com/huggingface/transformers\n", ["5.24.0"]),
        ("README.md", "pip install transformers --index-url https://x.org/nightly/cpu\n", []),
        ("requirements.txt", "git+https://github.com/someone/transformers.git\n", []),
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
    assert versions("parts/Other/nets/blocks.py") == ["4.48.1", "5.24.0"]


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
