"""What is built and run in images beside Dockerfiles: Apptainer, Compose, devcontainer.json."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats.images import apptainer, compose, devcontainer, dockerfile
from rocmlint.formats.model import Mounted

if TYPE_CHECKING:
    from rocmlint.formats.model import Command, Parts

INDEX = "https://download.pytorch.org/whl/rocm6.4"


def run(parts: Parts) -> list[str]:
    return [" ".join(word.text for word in each.words) for each in parts.commands]


def only(parts: Parts) -> Command:
    (command,) = parts.commands
    return command


# Apptainer

DEFINITION = """\
Bootstrap: docker
From: rocm/pytorch:{{ TAG }}

%arguments
    TAG=rocm6.4
%files
    wheels/ /opt/wheels
%environment
    export PATH=/opt/bin:$PATH
%post
    cd /opt
    pip install torch --find-links wheels
%runscript
    exec python serve.py "$@"
%help
    pip install vllm
"""


def test_the_sections_of_a_definition_run_in_its_image() -> None:
    parts = apptainer.parse(DEFINITION)
    assert run(parts) == [
        "cd /opt",
        "pip install torch --find-links wheels",
        "python serve.py $@",
    ]
    assert {each.image.text for each in parts.commands if each.image} == {"rocm/pytorch:rocm6.4"}
    assert [each.folder for each in parts.commands] == ["", "/opt", ""]
    assert parts.commands[0].step.number == parts.commands[1].step.number
    assert [each.target for each in parts.commands[0].step.copied or ()] == ["/opt/wheels"]


def test_a_section_for_another_program_has_no_commands() -> None:
    head = "Bootstrap: docker\nFrom: ubuntu\n"
    assert run(apptainer.parse(f"{head}%post -c /usr/bin/python3\n  import os\n")) == []
    assert run(apptainer.parse(f"{head}%post -c /bin/bash\n  pip list\n")) == ["pip list"]


def test_what_the_building_machine_runs_has_no_image() -> None:
    head = "Bootstrap: docker\nFrom: rocm/pytorch\n"
    assert only(apptainer.parse(f"{head}%setup\n  pip list\n")).image is None


def test_each_stage_has_its_image() -> None:
    first, second = (f"Bootstrap: docker\nFrom: {image}\n%post\n ls\n" for image in "ab")
    parts = apptainer.parse(f"{first}\n{second}")
    assert [each.image.text for each in parts.commands if each.image] == ["a", "b"]
    assert [each.text for each in parts.images] == ["a", "b"]


@pytest.mark.parametrize("bootstrap", ["localimage", "library", "yum"])
def test_an_image_that_is_none_of_docker_is_unknown(bootstrap: str) -> None:
    text = f"Bootstrap: {bootstrap}\nFrom: rocm/pytorch\n%post\n  pip list\n"
    assert only(apptainer.parse(text)).image is None


def test_another_file_that_ends_in_def_has_no_parts() -> None:
    assert apptainer.parse("LIBRARY x\nEXPORTS\n%post\n  pip install a\n").commands == ()


# Compose


def service(text: str) -> str:
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    return f"services:\n  train:\n{lines}"


@pytest.mark.parametrize(
    ("written", "commands"),
    [
        ("command: pip install 'a b' c", ["pip install a b c"]),
        (
            'command: bash -c "cd x && pip install y"',
            ["bash -c cd x && pip install y", "cd x", "pip install y"],
        ),
        ("command: [sh, -c, 'pip list']", ["sh -c pip list", "pip list"]),
        ("entrypoint: pip\ncommand: install", ["pip", "install"]),
        ("command: echo $$HOME", ["echo $HOME"]),
        ("command: echo ${A:-b} ${C}", ["echo b ${C}"]),
        ("command:", []),
    ],
)
def test_what_a_service_runs(written: str, commands: list[str]) -> None:
    assert run(compose.parse(service(written))) == commands


def test_no_shell_reads_the_command_of_a_service() -> None:
    command = only(compose.parse(service("command: pip install torch>=2")))
    assert (command.shell, command.redirects, command.words[2].text) == (False, (), "torch>=2")


def test_a_service_has_an_image_variables_and_a_folder() -> None:
    image = "image: rocm/pytorch:${TAG:-latest}"
    text = f"{image}\nworking_dir: /w\nenvironment: [A=b, C]\ncommand: pip list"
    command = only(compose.parse(service(text)))
    assert command.image is not None
    assert command.image.text == "rocm/pytorch:latest"
    assert (command.folder, command.variables) == ("/w", {"A": "b"})


def test_the_image_of_a_service_that_is_built_is_its_result() -> None:
    parts = compose.parse(service("image: rocm/pytorch\nbuild: .\ncommand: pip list"))
    assert (parts.images, only(parts).image) == ((), None)


@pytest.mark.parametrize(
    ("written", "mounted"),
    [
        ("build: .", Mounted(("setup.sh",), "Dockerfile")),
        ("build: ./docker", Mounted(("setup.sh",), "docker/Dockerfile")),
        (
            "build: {context: .., dockerfile: rocm/Dockerfile, target: run}",
            Mounted(("setup.sh",), "../rocm/Dockerfile"),
        ),
        ("build: {args: {A: b}}", Mounted(("setup.sh",), "Dockerfile")),
        ("build: '${CONTEXT}'", None),
        ("build: https://example.com/repository.git", None),
        ("build: {context: ., dockerfile_inline: FROM a}", None),
        ("image: rocm/pytorch", None),
    ],
)
@pytest.mark.parametrize(
    "volumes",
    [
        "volumes: ['./setup.sh:/app/setup.sh:ro', '/opt/rocm:/opt/rocm', 'data:/data']",
        "volumes: [{type: bind, source: ./setup.sh, target: /setup.sh}]",
        "volumes: ['./setup.sh:/app/${NAME}', '${HERE}/a.sh:/a.sh', './$A:/a']",
    ],
)
def test_what_a_service_mounts_into_the_image_that_it_builds(
    written: str, volumes: str, mounted: Mounted | None
) -> None:
    parts = compose.parse(service(f"{written}\n{volumes}"))
    assert parts.mounted == (() if mounted is None else (mounted,))


def test_an_argument_of_a_build_may_be_a_package_index() -> None:
    others = "    EXTRA_URL: https://x/simple\n    HOME: https://x/y"
    text = f"build:\n  args:\n    INDEX: {INDEX}\n{others}"
    parts = compose.parse(service(text))
    assert [(each.url, each.extra) for each in parts.indexes] == [
        (INDEX, False),
        ("https://x/simple", True),
    ]


def test_a_dockerfile_inside_is_read_with_the_arguments_of_the_build() -> None:
    lines = "FROM rocm/pytorch\nARG I=x\nRUN pip install torch --index-url $$I"
    inside = "\n".join(f"    {line}" for line in lines.split("\n"))
    text = f"build:\n  args: [I={INDEX}]\n  dockerfile_inline: |\n{inside}"
    parts = compose.parse(service(text))
    assert run(parts) == [f"pip install torch --index-url {INDEX}"]
    assert [each.text for each in parts.images] == ["rocm/pytorch"]


def test_steps_of_services_are_told_apart() -> None:
    inline = "    build:\n      dockerfile_inline: |\n        RUN ls\n"
    text = f"services:\n  a:\n{inline}    command: ls\n  b:\n{inline}    command: ls\n"
    assert len({each.step.number for each in compose.parse(text).commands}) == 4


# devcontainer.json


@pytest.mark.parametrize(
    ("written", "commands"),
    [
        ('"postCreateCommand": "cd x && pip list"', ["cd x", "pip list"]),
        ('"onCreateCommand": ["pip", "install", "a b"]', ["pip install a b"]),
        ('"postStartCommand": {"a": "pip list", "b": ["ls"]}', ["pip list", "ls"]),
        ('"customizations": {"postCreateCommand": "ls"}', []),
        ('"postCreateCommand": null', []),
    ],
)
def test_what_a_devcontainer_runs(written: str, commands: list[str]) -> None:
    assert run(devcontainer.parse(f"{{{written}}}")) == commands


def test_comments_and_trailing_commas_are_allowed() -> None:
    text = '// "\n{\n\t/* {"\n */ "image": "rocm/pytorch", // x\n'
    text += '\t"postCreateCommand": "pip list",\n}\n'
    parts = devcontainer.parse(text)
    assert parts.problems == ()
    assert [each.text for each in parts.images] == ["rocm/pytorch"]
    assert only(parts).span[:2] == (5, 24)


def test_only_the_machine_around_runs_the_first_command() -> None:
    text = '{"image": "rocm/pytorch", "initializeCommand": "ls", "postCreateCommand": "ls"}'
    assert [each.image is None for each in devcontainer.parse(text).commands] == [True, False]


def test_what_is_no_json_is_one_problem() -> None:
    (problem,) = devcontainer.parse('{"image": [}').problems
    assert problem.reason == "not valid JSON"


# COPY of a Dockerfile


def test_what_a_dockerfile_copies_stands_at_its_target() -> None:
    head = "ENV S=/opt/x\nWORKDIR /w\nCOPY a.py b.py $S/\n"
    text = f"{head}ADD https://x/y /z\nCOPY --from=0 /a /b\nCOPY c d\n"
    copies = dockerfile.parse(text).copies
    assert [(each.sources, each.target.text) for each in copies] == [
        (("a.py", "b.py"), "/opt/x"),
        ((), "/z"),
        (("c",), "/w/d"),
    ]
    assert copies[0].span == (3, 16, 3, 19)
