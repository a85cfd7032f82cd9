"""Files beside Python, through the command: what is found in them, fixed and remembered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from rocmlint.formats import FORMATS
from rocmlint.lint.discovery.discover import is_linted
from tests.support.acme import FILES, places

if TYPE_CHECKING:
    from tests.support.project import Project

ROOT = Path(__file__).parents[2]
PLACES = [
    ".devcontainer/devcontainer.json:4:36",
    ".github/workflows/ci.yml:8:23",
    "Dockerfile:3:17",
    "Makefile:3:15",
    "Pipfile:2:9",
    "conda-lock.yml:2:9",
    "docker-compose.yml:4:35",
    "env_rocm.yaml:3:9",
    "environment.yml:5:9",
    "install.bat:2:18",
    "install.ps1:3:5",
    "install.sh:3:5",
    "job.sbatch:4:13",
    "justfile:3:17",
    "noxfile.py:6:22",
    "pixi.toml:2:9",
    "pixi.toml:4:18",
    "pyproject.toml:5:6",
    "requirements.txt:1:19",
    "requirements.txt:3:1",
    "rocm.def:4:17",
    "serve.ipynb:cell 2:2:14",
    "serve.ipynb:cell 2:3:24",
    "serve.py:3:24",
    "setup.cfg:6:5",
    "tox.ini:3:5",
    "tox.ini:4:24",
]


def test_each_format_is_linted(acme: Project) -> None:
    assert places(acme) == PLACES


def test_each_finding_is_shown_with_its_line(acme: Project) -> None:
    text = acme.run("--no-cache", "Dockerfile").stdout
    assert "3 |     pip install vllm && \\\n  |                 ^^^^\n" in text


def test_fixes_change_each_format_and_nothing_else_in_it(acme: Project) -> None:
    acme.run("--no-cache", "--fix")
    for name, text in FILES.items():
        if name not in {"own/no_vllm.py", "serve.ipynb"}:
            assert acme.read(name) == re.sub(
                r"""(install (?=vllm)|install\("|^    )vllm(?!>)""",
                r"\1aphrodite",
                text,
                flags=re.MULTILINE,
            ), name
    assert acme.read("serve.ipynb") == FILES["serve.ipynb"].replace(" vllm", " aphrodite")


# Which files


def test_rules_may_be_switched_off_for_some_of_them(acme: Project) -> None:
    acme.write("rocmlint.toml", FILES["rocmlint.toml"] + '[per-file-ignores]\n"*.sh" = ["ACME"]\n')
    assert places(acme, "install.sh", "Dockerfile") == ["Dockerfile:3:17"]


def test_excludes_and_gitignore_hold_for_them(acme: Project) -> None:
    acme.write(".git/HEAD", "")
    acme.write(".gitignore", "install.sh\n*.ipynb\n")
    found = places(acme, "--exclude", "Dockerfile,.github/")
    left = (".github", "Dockerfile", "install.sh", "serve.ipynb")
    assert found == [each for each in PLACES if not each.startswith(left)]
    forced = ("--exclude", "Dockerfile,*.sh", "--force-exclude")
    assert places(acme, *forced, "Dockerfile", "install.sh") == []


@pytest.mark.parametrize("name", ["Dockerfile", "install.sh", "requirements.txt", "serve.ipynb"])
def test_standard_input_is_what_its_name_says(name: str, acme: Project) -> None:
    arguments = ("-", "--stdin-filename", name)
    assert places(acme, *arguments, stdin=FILES[name]) == [
        each for each in PLACES if each.startswith(name)
    ]


def test_standard_input_is_fixed(acme: Project) -> None:
    text = "RUN pip install vllm\n"
    done = acme.run("-", "--stdin-filename", "Dockerfile", "--fix", stdin=text)
    assert done.stdout == "RUN pip install aphrodite\n"


def test_a_diff_shows_what_would_change(acme: Project) -> None:
    done = acme.run("--no-cache", "--diff", "Dockerfile")
    changed = [line for line in done.stdout.splitlines() if line.startswith(("-  ", "+  "))]
    assert changed == ["-    pip install vllm && \\", "+    pip install aphrodite && \\"]


def test_a_named_file_of_no_known_format_is_told_of_and_left_alone(acme: Project) -> None:
    acme.write("README.adoc", "::\n\n    pip install vllm\nif (\n")
    done = acme.run("--no-cache", "README.adoc")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(
        "README.adoc: not linted: neither Python nor another supported format"
    )
    piped = acme.run("-", "--stdin-filename", "README.adoc", stdin="if (\n")
    assert (piped.returncode, piped.stdout) == (0, "")
    assert "README.adoc: not linted" in piped.stderr


BLOCK = "```sh\npip install vllm\n```\n"


def test_a_document_has_one_note_for_each_rule_unless_the_settings_say_otherwise(
    acme: Project,
) -> None:
    acme.write("README.md", f"# Install\n\n{BLOCK}{BLOCK}")
    for flags in ((), ("--no-cache",), ()):
        done = acme.run(*flags, "--output-format", "json", "README.md")
        (note,) = json.loads(done.stdout)["findings"]
        assert (done.returncode, note["severity"], note["line"], note["fix"]) == (
            0,
            "note",
            4,
            None,
        )
    assert acme.run("--fix", "README.md").returncode == 0
    assert acme.read("README.md") == f"# Install\n\n{BLOCK}{BLOCK}"
    assert places(acme, "--documents", "README.md") == ["README.md:4:13", "README.md:7:13"]
    acme.write("rocmlint.toml", f"documents = false\n{FILES['rocmlint.toml']}")
    assert places(acme, "README.md") == []
    for name in FILES:
        if name != "rocmlint.toml" and "/" not in name:
            (acme.root / name).unlink(missing_ok=True)
    assert "(documents = false)" in acme.run("README.md").stderr


def test_a_document_may_show_how_a_suppression_is_written(acme: Project) -> None:
    acme.write("README.md", "```sh\npip install torch  # rocmlint: ignore[ROC201] why\n```\n")
    assert "ROC9" not in acme.run("README.md").stdout


@pytest.mark.parametrize("name", ["a.mdx", "a.rst"])
def test_other_documents_are_read_too(acme: Project, name: str) -> None:
    block = "Do::\n\n    pip install vllm\n" if name == "a.rst" else BLOCK
    acme.write(name, block)
    (place,) = places(acme, name)
    assert place.startswith(f"{name}:")


def test_documents_count_fully_by_option(acme: Project) -> None:
    acme.write("README.md", "# Install\n\n```bash\npip install vllm\n```\n")
    assert places(acme, "--documents", "README.md") == ["README.md:4:13"]
    acme.write("rocmlint.toml", f"documents = true\n{FILES['rocmlint.toml']}")
    assert "README.md:4:13" in places(acme)
    assert acme.code("--no-cache", "--add-ignore", "known", "README.md") == 0
    assert "pip install vllm  # rocmlint: ignore[ACME001] known\n" in acme.read("README.md")
    piped = places(acme, "-", "--stdin-filename", "README.md", stdin="```sh\npip install vllm\n```")
    assert piped == ["README.md:2:13"]


def test_a_script_without_a_suffix_is_linted_fixed_and_hidden(acme: Project) -> None:
    acme.write("bin/serve", "#!/bin/bash\npip install vllm\nif (\n")
    assert "bin/serve:2:13" in places(acme)
    assert places(acme, "bin/serve") == ["bin/serve:2:13"]
    assert places(acme, "-", "--stdin-filename", "x", stdin="#!/bin/sh\npip install vllm\n") == [
        "x:2:13"
    ]
    assert acme.code("--no-cache", "--add-ignore", "known", "bin/serve") == 0
    assert "pip install vllm  # rocmlint: ignore[ACME001] known\n" in acme.read("bin/serve")
    acme.write("bin/serve", "#!/bin/bash\npip install vllm\n")
    acme.run("--no-cache", "--fix", "bin/serve")
    assert acme.read("bin/serve") == "#!/bin/bash\npip install aphrodite\n"


def test_the_hooks_see_what_is_found_below_a_folder() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    paths = [*FILES, "a.pyi", "notes.txt", "README.adoc", "data.yml", "docker/rocm.dockerfile"]
    paths += ["requirements/base.in", "constraints-rocm.txt", ".gitlab-ci.yml", "a.json"]
    for hook in hooks:
        assert [path for path in paths if re.search(hook["files"], path)] == [
            path for path in paths if is_linted(path)
        ]
        assert re.search(hook["files"], "docs/install.md")  # the settings say whether
        for known in FORMATS:
            assert known.path.pattern in hook["files"] or known.name == "setup_py", known.name


# What other files say


def messages(project: Project, *arguments: str) -> list[str]:
    found = json.loads(project.run(*arguments, "--output-format", "json").stdout)["findings"]
    return [each["message"] for each in found]


def test_a_finding_is_forgotten_when_the_pin_it_hangs_on_changes(project: Project) -> None:
    for name in ("rocmlint.toml", "own/no_vllm.py"):
        project.write(name, FILES[name])
    project.write(".git/HEAD", "")
    project.write("serve/requirements.txt", "vllm\n")
    project.write("requirements.txt", "torch==2.4.1\n")
    assert messages(project, "serve") == ["vllm is declared beside torch==2.4.1"]
    project.write("requirements.txt", "torch==2.5.0\n")
    assert messages(project, "serve") == ["vllm is declared beside torch==2.5.0"]
    project.write("serve/constraints.txt", "torch==2.6.0\n")
    assert messages(project, "serve") == ["vllm is declared beside torch==2.6.0"]
    (project.root / "serve" / "constraints.txt").unlink()
    (project.root / "requirements.txt").unlink()
    assert messages(project, "serve") == ["vllm is declared beside no torch"]


def test_a_finding_is_kept_while_nothing_it_hangs_on_changes(project: Project) -> None:
    for name in ("rocmlint.toml", "own/no_vllm.py"):
        project.write(name, FILES[name])
    project.write(".git/HEAD", "")
    project.write("requirements.txt", "torch==2.4.1\nvllm\n")
    expected = messages(project)
    (cache,) = (project.root / ".rocmlint_cache").rglob("*.json")
    stored = json.loads(cache.read_text())
    # What the cache says is told: so it was asked, and the file was not linted again.
    told = json.dumps(stored).replace("vllm is declared beside", "remembered:")
    cache.write_text(told)
    project.write("notes.md", "unrelated\n")
    (project.root / "notes.md").unlink()
    assert expected == ["vllm is declared beside torch==2.4.1"]
    assert messages(project) == ["remembered: torch==2.4.1"]
