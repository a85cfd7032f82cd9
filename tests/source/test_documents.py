"""Files beside Python, through the command: what is found in them, hidden, fixed and remembered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from rocmlint.change.rewrite import encode_like
from rocmlint.errors import RewriteError
from rocmlint.formats import FORMATS
from rocmlint.lint.discover import is_linted
from rocmlint.source.decoding import text_of
from rocmlint.source.kinds import kinds
from rocmlint.text.text import PlainText

if TYPE_CHECKING:
    from tests.support.project import Project

ROOT = Path(__file__).parents[2]
RULE = '''
"""ACME001, no-vllm."""

from rocmlint import Rule
from rocmlint.findings import Fix
from rocmlint.rule.triggers import commands, declared, indexes


class NoVllm(Rule):
    """vLLM is installed or declared, or torch's index for CUDA is named."""

    code = "ACME001"
    name = "no-vllm"
    since = "0.1.0"
    on = (
        commands("vllm", described="commands with vllm")
        | declared("vllm", described="requirements of vllm")
        | indexes("cu121", described="indexes for CUDA")
    )

    def check(self, node, file):
        if hasattr(node, "words"):
            for word in node.words:
                if word.text.startswith("vllm"):
                    edit = file.replace(word, "aphrodite")
                    fix = Fix("Name the other", (edit,), safe=True)
                    yield self.finding(word, file, "vllm is installed", fix=fix)
        elif hasattr(node, "url"):
            yield self.finding(node, file, "an index for CUDA")
        elif node.name == "vllm":
            pins = file.project.requirements("torch")
            pinned = ", ".join(sorted(each.declared.text for each in pins)) or "no torch"
            yield self.finding(node, file, f"vllm is declared beside {pinned}")
'''
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Serve\n"]},
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "outputs": [],
            "source": ["import os\n", "!pip install vllm\n", "os.system('pip install vllm')"],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES = {
    "rocmlint.toml": 'rules = ["own"]\nselect = ["ACME", "ROC9"]\n',
    "own/no_vllm.py": RULE,
    "Dockerfile": "FROM rocm/pytorch\nRUN ls && \\\n    pip install vllm && \\\n    ls\n",
    ".github/workflows/ci.yml": (
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: |\n          ls\n          pip install vllm\n"
    ),
    "requirements.txt": (
        "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.4.1\nvllm==0.5.0\n"
    ),
    "pyproject.toml": (
        '[project]\nname = "a"\nversion = "1"\ndependencies = [\n    "vllm>=0.5",\n]\n'
    ),
    "setup.cfg": "[metadata]\nname = a\n[options]\ninstall_requires =\n    numpy\n    vllm>=0.5\n",
    "environment.yml": "name: a\ndependencies:\n  - python\n  - pip:\n      - vllm\n",
    "install.sh": "#!/bin/sh\npip install \\\n    vllm\n",
    "Makefile": "PACKAGES = numpy\ninstall:\n\t@pip install vllm $(PACKAGES)\n",
    "justfile": "v := '1'\ninstall:\n    pip install vllm {{ v }}\n",
    "job.sbatch": "#!/bin/bash\n#SBATCH -N 1\nsrun pip list\npip install vllm\n",
    "rocm.def": "Bootstrap: docker\nFrom: rocm/pytorch\n%post\n    pip install vllm\n",
    "docker-compose.yml": (
        "services:\n  a:\n    image: rocm/pytorch\n    command: bash -c 'pip install vllm'\n"
    ),
    ".devcontainer/devcontainer.json": (
        '// why\n{\n\t"image": "rocm/pytorch",\n\t"postCreateCommand": "pip install vllm",\n}\n'
    ),
    "pixi.toml": '[pypi-dependencies]\nvllm = ">=0.5"\n[tasks]\na = "pip install vllm"\n',
    "tox.ini": "[testenv]\ndeps =\n    vllm>=0.5\ncommands = pip install vllm\n",
    "noxfile.py": (
        'import nox\n\n\n@nox.session\ndef a(session):\n    session.install("vllm", "x")\n'
    ),
    "Pipfile": '[packages]\nvllm = ">=0.5"\n',
    "conda-lock.yml": (
        "package:\n- name: vllm\n  version: 0.5.0\n  manager: pip\n  platform: linux-64\n"
    ),
    "install.ps1": "$a = 'x'\n& pip install $a `\n    vllm\n",
    "install.bat": "@echo off\ncall pip install vllm\n",
    "env_rocm.yaml": "dependencies:\n  - pip:\n      - vllm\n",
    "serve.py": "import os\n\nos.system('pip install vllm')\n",
    "serve.ipynb": json.dumps(NOTEBOOK, indent=1) + "\n",
}
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


@pytest.fixture
def acme(project: Project) -> Project:
    """Make a project with a file of each format, and a rule of its own."""
    for name, text in FILES.items():
        project.write(name, text)
    return project


def places(project: Project, *arguments: str, stdin: str = "") -> list[str]:
    """Return where the command finds something."""
    flags = ("--no-cache", "--output-format", "concise")
    done = project.run(*flags, *arguments, stdin=stdin)
    assert "Traceback" not in done.stderr
    return [line.split(": ")[0] for line in done.stdout.splitlines()]


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


def test_ignore_comments_stand_where_the_format_has_comments(acme: Project) -> None:
    done = acme.run("--no-cache", "--add-ignore", "known")
    assert done.returncode == 0, done.stdout + done.stderr
    comment = "# rocmlint: ignore[ACME001] known"
    expected = {
        "Dockerfile": f"&& \\\n    {comment}\n    pip install vllm && \\\n",
        ".github/workflows/ci.yml": f"          pip install vllm  {comment}\n",
        "requirements.txt": f"cu121  {comment}\ntorch==2.4.1\nvllm==0.5.0  {comment}\n",
        "pyproject.toml": f'    "vllm>=0.5",  {comment}\n',
        "setup.cfg": f"    vllm>=0.5  {comment}\n",
        "environment.yml": f"      - vllm  {comment}\n",
        "install.sh": f"pip install \\\n    vllm  {comment}\n",
        "Makefile": f"\t@pip install vllm $(PACKAGES)  {comment}\n",
        "justfile": f"    pip install vllm {{{{ v }}}}  {comment}\n",
        "job.sbatch": f"pip install vllm  {comment}\n",
        "rocm.def": f"    pip install vllm  {comment}\n",
        "docker-compose.yml": f"    command: bash -c 'pip install vllm'  {comment}\n",
        ".devcontainer/devcontainer.json": f'\t// {comment}\n\t"postCreateCommand": "pip',
        "pixi.toml": f'vllm = ">=0.5"  {comment}\n[tasks]\na = "pip install vllm"  {comment}\n',
        "tox.ini": f"    vllm>=0.5  {comment}\ncommands = pip install vllm  {comment}\n",
        "noxfile.py": f'    session.install("vllm", "x")  {comment}\n',
        "Pipfile": f'vllm = ">=0.5"  {comment}\n',
        "conda-lock.yml": f"- name: vllm  {comment}\n",
        "install.ps1": f"    vllm  {comment}\n",
        "install.bat": f"REM {comment}\ncall pip install vllm\n",
        "env_rocm.yaml": f"      - vllm  {comment}\n",
        "serve.py": f"os.system('pip install vllm')  {comment}\n",
        "serve.ipynb": f"os.system('pip install vllm')  {comment}",
    }
    for name, text in expected.items():
        assert text in acme.read(name), name
    assert places(acme) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("Dockerfile", 'RUN ["pip", "install", "vllm"]\n', id="exec form"),
        pytest.param("Dockerfile", "RUN ls \\\n  # why\n  && pip install vllm\n", id="commented"),
        pytest.param("Dockerfile", "RUN <<EOF\nls\npip install vllm\nEOF\n", id="heredoc"),
        pytest.param("a.sh", "pip install vllm > log 2>&1 || exit 1\n", id="redirected"),
        pytest.param("a.sh", "pip install 'vllm'\npip install vllm\n", id="two lines"),
        pytest.param("a.sh", "pip install vllm vllm\n", id="two in a line"),
        pytest.param("requirements.txt", "vllm==1 \\\n  --hash=sha256:a\n", id="continued"),
        pytest.param("requirements.txt", "vllm  # why\n", id="behind a comment"),
        pytest.param("pyproject.toml", '[project]\ndependencies = ["vllm"]\n', id="one line"),
        pytest.param("pyproject.toml", '[tool.poetry.dependencies]\nvllm = "^0.5"\n', id="poetry"),
        pytest.param("Dockerfile", "RUN pip install vllm", id="no line at the end"),
        pytest.param("Makefile", "a: b ; pip install vllm\n", id="behind a rule"),
        pytest.param("Makefile", "a:\n\tls && \\\n\tpip install vllm && \\\n\tls\n", id="make"),
        pytest.param("a.ps1", "pip install `\n  vllm `\n  x\n", id="backtick"),
        pytest.param("a.bat", "ls && ^\npip install vllm ^\n  x\n", id="caret"),
        pytest.param(
            ".devcontainer.json", '{"onCreateCommand": {"a": "pip install vllm"}}', id="one line"
        ),
        pytest.param("tox.ini", "[testenv]\ncommands =\n  pip install \\\n   vllm\n", id="tox"),
    ],
)
def test_an_ignore_comment_hides_and_a_second_run_adds_none(
    name: str, text: str, acme: Project
) -> None:
    acme.write(name, text)
    assert places(acme, name)
    assert acme.code("--no-cache", "--add-ignore", "known", name) == 0
    once = acme.read(name)
    assert places(acme, name) == []
    acme.run("--no-cache", "--add-ignore", "known", name)
    assert acme.read(name) == once


def test_where_no_comment_can_stand_the_file_stays_and_that_is_told(acme: Project) -> None:
    script = "          pip install\n          vllm\n          numpy\n"
    text = f"jobs:\n  a:\n    steps:\n      - run: >\n{script}"
    acme.write(".github/workflows/ci.yml", text)
    done = acme.run("--no-cache", "--add-ignore", "known", ".github/workflows/ci.yml")
    assert done.returncode == 2
    assert "cannot add a comment for ACME001 here; exclude the file instead" in done.stderr
    assert acme.read(".github/workflows/ci.yml") == text


@pytest.mark.parametrize(
    "text",
    [
        "{0}\nRUN pip install vllm\n",
        "# why\n{0}\nRUN pip install vllm\n",
        "{0}\n# why\nRUN pip install vllm\n",
        "{0}\nRUN ls && \\\n  pip install vllm\n",
        "RUN ls && \\\n  {0}\n  pip install vllm\n",
        "RUN pip install vllm \\\n  a\n  {0}\nRUN pip install vllm",
        "# rocmlint: ignore-file[ACME001] all\nRUN pip install vllm",
    ],
)
def test_a_comment_above_hides_in_a_dockerfile(text: str, acme: Project) -> None:
    acme.write("Dockerfile", text.format("# rocmlint: ignore[ACME001] known"))
    found = places(acme, "Dockerfile")
    assert found == (["Dockerfile:1:17"] if text.startswith("RUN pip") else [])


@pytest.mark.parametrize(
    "text",
    [
        "# rocmlint: ignore[ACME001]\n\nRUN pip install vllm\n",
        "# rocmlint: ignore[ACME001]\nRUN ls\nRUN pip install vllm\n",
        "RUN ls  # rocmlint: ignore[ACME001]\nRUN pip install vllm\n",
    ],
)
def test_a_comment_further_away_hides_nothing_and_is_told(text: str, acme: Project) -> None:
    acme.write("Dockerfile", text)
    done = acme.run("--no-cache", "--output-format", "concise", "Dockerfile")
    assert " ACME001 " in done.stdout
    assert " ROC901 " in done.stdout


@pytest.mark.parametrize(
    "name", ["Dockerfile", "requirements.txt", "a.sh", "environment.yml", "Makefile", "a.ps1"]
)
def test_a_file_with_nothing_but_a_comment_that_hides_nothing_is_told(
    name: str, acme: Project
) -> None:
    acme.write(name, "# rocmlint: ignore[ACME001] no more\n")
    assert acme.findings("--no-cache", name) == [(name, "ROC901")]
    acme.run("--no-cache", "--fix", name)
    assert acme.read(name) == "# no more\n"


@pytest.mark.parametrize(
    ("name", "opening", "rest"),
    [(".devcontainer.json", "//", "{}\n"), ("a.bat", "REM", "dir\n"), ("a.cmd", "::", "dir\n")],
)
def test_a_comment_that_does_not_begin_as_ours_may_hold_one(
    name: str, opening: str, rest: str, acme: Project
) -> None:
    acme.write(name, f"{opening} # rocmlint: ignore[ACME001] no more\n{rest}")
    assert acme.findings("--no-cache", name) == [(name, "ROC901")]
    acme.run("--no-cache", "--fix", name)
    assert acme.read(name) == f"{opening} # no more\n{rest}"


@pytest.mark.parametrize(
    ("name", "opening", "rest"),
    [(".devcontainer.json", "//", "{}\n"), ("a.bat", "REM", "dir\n"), ("a.cmd", "::", "dir\n")],
)
def test_what_opens_a_comment_goes_with_its_last_word(
    name: str, opening: str, rest: str, acme: Project
) -> None:
    acme.write(name, f"{opening} # rocmlint: ignore[ACME001]\n{rest}")
    acme.run("--no-cache", "--fix", name)
    assert acme.read(name) == rest


def test_noqa_hides_at_the_end_of_the_line(acme: Project) -> None:
    acme.write("a.sh", "pip install vllm  # noqa: ACME001\npip install vllm\n")
    assert places(acme, "a.sh") == ["a.sh:2:13"]


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
    acme.write("README.rst", "::\n\n    pip install vllm\nif (\n")
    done = acme.run("--no-cache", "README.rst")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(
        "README.rst: not linted: neither Python nor another supported format"
    )
    piped = acme.run("-", "--stdin-filename", "README.rst", stdin="if (\n")
    assert (piped.returncode, piped.stdout) == (0, "")
    assert "README.rst: not linted" in piped.stderr


def test_documents_are_linted_by_option_only(acme: Project) -> None:
    acme.write("README.md", "# Install\n\n```bash\npip install vllm\n```\n")
    done = acme.run("--no-cache", "README.md")
    assert (done.returncode, done.stdout) == (0, "")
    assert "`documents = true`" in done.stderr
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


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tests/Dockerfile", "test"),
        ("Dockerfile.test", "test"),
        ("requirements-test.txt", "test"),
        ("test-requirements.txt", None),
        ("requirements/tests.txt", None),
        ("scripts/run_tests.sh", "test"),
        ("test_model.ipynb", "test"),
        ("attest.sh", None),
        ("test.sh", None),
        ("contest.ipynb", None),
        (".github/workflows/test.yml", None),
        ("bench-attention.ipynb", "benchmark"),
        ("run_benchmark.sh", "benchmark"),
        ("workbench.sh", None),
        ("examples/serve.ipynb", "example"),
        ("docs/requirements.txt", "docs"),
    ],
)
def test_paths_say_what_kind_of_file_it_is(path: str, kind: str | None) -> None:
    known = kinds(path) & {"test", "benchmark", "example", "docs"}
    assert known == ({kind} if kind else set())


def test_the_hooks_see_what_is_found_below_a_folder() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    paths = [*FILES, "a.pyi", "notes.txt", "README.rst", "data.yml", "docker/rocm.dockerfile"]
    paths += ["requirements/base.in", "constraints-rocm.txt", ".gitlab-ci.yml", "a.json"]
    for hook in hooks:
        assert [path for path in paths if re.search(hook["files"], path)] == [
            path for path in paths if is_linted(path)
        ]
        assert re.search(hook["files"], "docs/install.md")  # the settings say whether
        for known in FORMATS:
            assert known.path.pattern in hook["files"] or known.name == "setup_py", known.name


# Encodings


def test_requirements_may_be_utf16_as_powershell_writes_them(acme: Project) -> None:
    path = acme.root / "requirements.txt"
    path.write_bytes("\ufeffvllm==0.5.0\r\ntorch\r\n".encode("utf-16-le"))
    assert places(acme, "requirements.txt") == ["requirements.txt:1:1"]
    acme.run("--no-cache", "--add-ignore", "für V1", "requirements.txt")
    text = "\ufeffvllm==0.5.0  # rocmlint: ignore[ACME001] für V1\r\ntorch\r\n"
    assert path.read_bytes() == text.encode("utf-16-le")


def test_a_script_need_not_be_utf8(acme: Project) -> None:
    (acme.root / "a.sh").write_bytes(b"# f\xfcr V1\npip install vllm\n")
    acme.run("--no-cache", "--fix", "a.sh")
    assert (acme.root / "a.sh").read_bytes() == b"# f\xfcr V1\npip install aphrodite\n"


def test_toml_that_is_no_utf8_is_told(acme: Project) -> None:
    (acme.root / "pyproject.toml").write_bytes(b'name = "\xfc"\nvllm\n')
    (finding,) = acme.findings("--no-cache", "--isolated", "--config", "rules=[]", "pyproject.toml")
    assert finding == ("pyproject.toml", "ROC900")


@pytest.mark.parametrize("data", [b"a\r\nb", b"\xef\xbb\xbfa\n", b"\xff\xfea\0\n\0", b"\xfea\n"])
def test_what_is_read_is_written_back_as_it_was(data: bytes) -> None:
    text = text_of("requirements.txt", data)
    assert encode_like("requirements.txt", data, text) == data
    changed = encode_like("requirements.txt", data, f"{text}c")
    assert text_of("requirements.txt", changed) == f"{text}c"


def test_a_line_that_is_no_requirement_is_told_to_be_unchecked(project: Project) -> None:
    project.write("requirements.txt", "diffusers>==0.5.0\ntorch==2.9.1\n")
    (found,) = json.loads(project.run("--isolated", "--output-format", "json").stdout)["findings"]
    assert (found["code"], found["line"]) == ("ROC900", 1)
    assert found["help"].startswith("Nothing in it was checked: ")


def test_what_an_encoding_lacks_is_refused() -> None:
    with pytest.raises(RewriteError, match="which latin-1 cannot encode"):
        encode_like("a.sh", b"\xfc\n", "\u2713\n")


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


# Comments


@pytest.mark.parametrize(
    ("text", "line", "above"),
    [
        ("a\n", 1, set()),
        ("# c\na\n", 2, {1}),
        ("# c\n# d\na\n", 3, {1, 2}),
        ("# c\n\na\n", 3, set()),
        ("# c\nRUN a \\\n b\n", 3, {1}),
        ("# c\nRUN a \\\n# d\n b\n", 4, {1, 3}),
        ("a  # c\nb\n", 2, set()),
    ],
)
def test_which_comments_above_count(text: str, line: int, above: set[int]) -> None:
    assert PlainText(text).comments_above(line) == above
