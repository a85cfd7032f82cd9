"""Where commands run: the image, the step and the folder that their reader saw."""

from __future__ import annotations

import pytest

from rocmlint.formats import parse
from rocmlint.formats.model import Command, Copied


def commands(name: str, text: str) -> list[Command]:
    return [each for each in parse(name, text).commands if each.words[0].text == "pip"]


def command(name: str, text: str) -> Command:
    (only,) = commands(name, text)
    return only


def image(name: str, text: str) -> str | None:
    found = command(name, text).image
    return None if found is None else found.text


INSTALL = "RUN pip install x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM rocm/pytorch:a\n", "rocm/pytorch:a"),
        ("FROM rocm/pytorch:a AS base\nFROM base\n", "rocm/pytorch:a"),
        ("FROM rocm/pytorch:a AS base\nFROM ubuntu\nFROM base AS last\n", "rocm/pytorch:a"),
        ("ARG BASE=rocm/pytorch:a\nFROM $BASE\n", "rocm/pytorch:a"),
        ("ARG STAGE=base\nFROM rocm/pytorch:a AS base\nFROM $STAGE\n", "rocm/pytorch:a"),
        ("ARG BASE\nFROM $BASE\n", None),
        # What a search for lines that begin with FROM gets wrong:
        ("FROM \\\n    rocm/pytorch:a\n", "rocm/pytorch:a"),
        ("FROM rocm/pytorch:a \\\n  # the base\n  AS base\nFROM base\n", "rocm/pytorch:a"),
        ("FROM rocm/pytorch:a\nRUN cat <<EOF > Dockerfile\nFROM ubuntu\nEOF\n", "rocm/pytorch:a"),
        ("FROM rocm/pytorch:a\nRUN echo \\\nFROM ubuntu\n", "rocm/pytorch:a"),
    ],
)
def test_a_command_of_a_dockerfile_knows_the_image_that_its_stage_builds_on(
    text: str, expected: str | None
) -> None:
    assert image("Dockerfile", text + INSTALL) == expected


def test_a_containerfile_by_its_ending_has_stages_too() -> None:
    text = f"FROM rocm/pytorch:a AS base\nFROM ubuntu\nFROM base\n{INSTALL}"
    assert image("rocm.containerfile", text) == "rocm/pytorch:a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"FROM a AS base\n{INSTALL}FROM base AS Test\n{INSTALL}", ["base", "test"]),
        (f"FROM a\n{INSTALL}FROM b\n{INSTALL}", ["0", "1"]),
    ],
)
def test_a_stage_has_its_name_or_its_number(text: str, expected: list[str]) -> None:
    assert [each.step.stage for each in commands("Dockerfile", text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("WORKDIR /app\n", "/app"),
        ("WORKDIR /app\nWORKDIR src\n", "/app/src"),
        ("ENV HOME_OF=/app\nWORKDIR $HOME_OF/src\n", "/app/src"),
        ("ARG WHERE\nWORKDIR /app/${WHERE}\n", "/app/${WHERE}"),
        ("WORKDIR /app\nFROM base\n", ""),
        # What a search for lines that begin with WORKDIR gets wrong:
        ("WORKDIR \\\n  /app\n", "/app"),
        ('WORKDIR "/app"\n', "/app"),
        ("WORKDIR /app\nRUN cat <<EOF > Dockerfile\nWORKDIR /other\nEOF\n", "/app"),
        ("WORKDIR /app\nFROM other\nFROM first\n", "/app"),
    ],
)
def test_a_command_of_a_dockerfile_knows_its_folder(text: str, expected: str) -> None:
    found = command("Dockerfile", f"FROM a AS first\n{text}{INSTALL}")
    assert (found.folder, found.step.folder) == (expected, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("COPY a.txt /r/\n", [Copied(("a.txt",), "/r")]),
        ("COPY --chown=1:1 a.txt b.txt ./\n", [Copied(("a.txt", "b.txt"), "/app")]),
        ('ADD ["a b.txt", "/r/"]\n', [Copied(("a b.txt",), "/r")]),
        ("ARG LIST=a.txt\nCOPY $LIST /r/\n", [Copied(("a.txt",), "/r")]),
        ("COPY --from=other/image a.txt /r/\n", []),
        ("COPY <<EOF /r/a.txt\ntorch\nEOF\n", [Copied((), "/r/a.txt")]),
        # What a search for lines that begin with COPY gets wrong:
        ("COPY a.txt \\\n  # the list\n  b.txt \\\n  /r/\n", [Copied(("a.txt", "b.txt"), "/r")]),
        ("RUN cat <<EOF > Dockerfile\nCOPY a.txt /r/\nEOF\n", []),
    ],
)
def test_a_command_knows_what_was_copied_into_its_image(text: str, expected: list[Copied]) -> None:
    found = command("Dockerfile", f"FROM a\nWORKDIR /app\n{text}{INSTALL}")
    assert found.step.copied == tuple(expected)


def test_what_another_stage_had_copied_comes_with_its_folder() -> None:
    text = (
        "FROM a AS build\nCOPY lists/a.txt /app/lists/\nCOPY other.txt /tmp/\n"
        f"FROM b\nCOPY --from=build /app /srv\n{INSTALL}"
    )
    found = command("Dockerfile", text)
    assert found.step.copied == (Copied(("lists/a.txt",), "/srv/lists"),)


def test_a_bind_mount_counts_for_its_instruction_alone() -> None:
    text = (
        "FROM a\nRUN --mount=type=cache,target=/c \\\n"
        "    --mount=type=bind,source=a.txt,target=/r/a.txt pip install -r /r/a.txt\n"
        "RUN --mount=type=bind,from=b,source=a.txt,target=/r/a.txt pip install x\n"
    )
    first, second = commands("Dockerfile", text)
    assert first.step.copied == (Copied(("a.txt",), "/r/a.txt"),)
    assert second.step.copied == ()


def test_commands_of_one_instruction_share_a_step() -> None:
    text = "FROM a\nRUN pip install x && \\\n    bash -c 'pip install y'\nRUN pip install z\n"
    first, second, third = commands("Dockerfile", text)
    assert first.step == second.step != third.step


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("pip install x", ""),
        ("cd a && pip install x", "a"),
        ("cd a\ncd b\npip install x", "a/b"),
        ("cd a/b\ncd ..\npip install x", "a"),
        ("cd ..\npip install x", ""),
        ("cd -P -- /opt/a\npip install x", "/opt/a"),
        ("cd a\ncd -\npip install x", ""),
        ("pushd a\npushd b\npopd\npip install x", "a"),
        ("popd\npip install x", ""),
        ("cd\npip install x", None),
        ("cd ~/a\npip install x", None),
        ('cd "$WHERE"\npip install x', None),
        ("cd a\ncd $WHERE\ncd b\npip install x", None),
        ("WHERE=a\ncd $WHERE\npip install x", "a"),
        ('cd a\ncd "$(dirname "$0")"\npip install x', ""),
        ("(cd a && ls)\npip install x", ""),
        ("(cd a && pip install x)", "a"),
        ('HERE="$(cd a && pwd)"\npip install x', ""),
        ("enter() { cd a; }\npip install x", ""),
        ("cd a\nbash -c 'cd b && pip install x'", "a/b"),
        ("bash -c 'cd a'\npip install x", ""),
        ('into() { (cd "$1" && shift && "$@"); }\ninto vllm pip install x', None),
        ('inside() { cd a; "$@"; }\ninside pip install x', None),
        ('retry() { "$@" || "$@"; }\ncd vllm\nretry pip install x', "vllm"),
    ],
)
def test_a_command_of_a_script_knows_where_cd_led(script: str, expected: str | None) -> None:
    assert command("install.sh", script).folder == expected


def test_cd_ends_with_its_instruction() -> None:
    text = "FROM a\nWORKDIR /app\nRUN cd b && pip install x\nRUN pip install y\n"
    assert [each.folder for each in commands("Dockerfile", text)] == ["/app/b", "/app"]


def test_a_line_of_a_script_that_begins_like_an_instruction_begins_no_step() -> None:
    text = "FROM a\nRUN <<EOF\ncd /opt\nRUN=1\nCMD=2\npip install x\nEOF\n"
    assert command("Dockerfile", text).folder == "/opt"


WORKFLOW = ".github/workflows/a.yml"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (WORKFLOW, "jobs: {a: {container: rocm/a, steps: [run: pip install x]}}", "rocm/a"),
        (
            WORKFLOW,
            "jobs: {a: {steps: [run: pip install x], container: {image: rocm/a}}}",
            "rocm/a",
        ),
        (
            WORKFLOW,
            "jobs: {a: {container: rocm/a}, b: {steps: [run: pip install x]}}",
            None,
        ),
        (
            WORKFLOW,
            (
                "jobs: {a: {container: rocm/a, services: {db: {image: postgres}},"
                " steps: [run: pip install x]}}"
            ),
            "rocm/a",
        ),
        (WORKFLOW, "jobs: {a: {container: '${{ matrix.i }}', steps: [run: pip install x]}}", None),
        (".gitlab-ci.yml", "image: rocm/a\nt: {script: [pip install x]}", "rocm/a"),
        (
            ".gitlab-ci.yml",
            "default: {image: {name: rocm/a}}\nt: {script: pip install x}",
            "rocm/a",
        ),
        (
            ".gitlab-ci.yml",
            "image: ubuntu\nt: {image: rocm/a, script: [pip install x]}",
            "rocm/a",
        ),
        (
            ".gitlab-ci.yml",
            ".b: {image: rocm/a}\n.c: {extends: .b}\nt: {extends: [.c], script: [pip install x]}",
            "rocm/a",
        ),
        (".gitlab-ci.yml", "t: {extends: .u}\n.u: {extends: t, script: pip install x}", None),
        (
            ".circleci/config.yml",
            "jobs: {a: {docker: [{image: rocm/a}, {image: redis}], steps: [run: pip install x]}}",
            "rocm/a",
        ),
    ],
)
def test_a_step_of_a_workflow_knows_the_image_of_its_job(
    name: str, text: str, expected: str | None
) -> None:
    assert image(name, text) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (WORKFLOW, "jobs: {a: {steps: [{run: pip install x, working-directory: b/}]}}", "b"),
        (
            WORKFLOW,
            (
                "jobs: {a: {defaults: {run: {working-directory: b}},"
                " steps: [{run: cd c && pip install x}]}}"
            ),
            "b/c",
        ),
        (
            WORKFLOW,
            "jobs: {a: {steps: [{run: pip install x, working-directory: '${{ matrix.d }}'}]}}",
            None,
        ),
        (
            WORKFLOW,
            (
                "jobs: {a: {steps: [{run: pip install x,"
                " working-directory: '${{ github.workspace }}'}]}}"
            ),
            "",
        ),
        (
            ".circleci/config.yml",
            "jobs: {a: {working_directory: ~/a, steps: [run: pip install x]}}",
            "",
        ),
        (
            "azure-pipelines.yml",
            "steps: [{bash: pip install x, workingDirectory: b}]",
            "b",
        ),
    ],
)
def test_a_step_of_a_workflow_knows_its_folder(name: str, text: str, expected: str | None) -> None:
    assert command(name, text).folder == expected


def test_each_step_of_a_workflow_begins_anew() -> None:
    text = "steps:\n- run: cd a && pip install x\n- run: pip install y\n"
    first, second = commands("action.yml", text)
    assert (first.folder, second.folder) == ("a", "")
    assert first.step.number != second.step.number


def test_what_gitlab_runs_before_a_script_is_of_the_same_step() -> None:
    text = "t:\n  before_script: [cd a]\n  script: [pip install x]\n  after_script: pip install y\n"
    assert [each.folder for each in commands(".gitlab-ci.yml", text)] == ["a", ""]


def test_a_line_of_a_script_that_looks_like_a_key_begins_no_step() -> None:
    text = "steps:\n- run: |\n    cd a\n    cat <<EOF\n    command: b\n    EOF\n    pip install x\n"
    assert command("action.yml", text).folder == "a"
