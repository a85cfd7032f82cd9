"""Files beside Python: the comments that hide what is found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.acme import places

if TYPE_CHECKING:
    from tests.support.project import Project


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
