"""Scripts that run in an image that the project builds: its torch is there before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter

if TYPE_CHECKING:
    from tests.support.repositories import Repository

ROCM = "https://download.pytorch.org/whl/rocm6.4"
TORCH = f"RUN pip install torch torchvision --index-url {ROCM}\n"
BUILD = f"FROM ubuntu:24.04\n{TORCH}"
STAGES = (
    f"FROM ubuntu:24.04 AS builder\n{TORCH}FROM ubuntu:24.04\n"
    "COPY --from=builder /opt/venv /opt/venv\nRUN python3 main.py\n"
)
SCRIPT = "rocm-smi\npip install accelerate torchvision\n"
MOUNT = "./setup.sh:/app/run.sh:ro"


def service(build: str, *volumes: str) -> str:
    return f"services:\n  web:\n    build: {build}\n    volumes: {list(volumes)}\n"


@pytest.mark.parametrize(
    ("dockerfile", "compose", "codes"),
    [
        pytest.param(BUILD, service(".", MOUNT), [], id="mounted"),
        pytest.param(STAGES, service(".", MOUNT), [], id="torch comes from another stage"),
        pytest.param(BUILD, service("{context: .}", MOUNT), [], id="a mapping"),
        pytest.param("FROM ubuntu:24.04\n", service(".", MOUNT), ["ROC201"], id="no torch"),
        pytest.param(BUILD, service("./web", MOUNT), ["ROC201"], id="another image"),
        pytest.param(BUILD, service(".", ".:/app"), ["ROC201"], id="the whole folder"),
        pytest.param(BUILD, service(".", "./run.sh:/setup.sh"), ["ROC201"], id="another script"),
        pytest.param(
            BUILD, f"services: {{a: {{image: a, volumes: ['{MOUNT}']}}}}\n", ["ROC201"], id="pulled"
        ),
        pytest.param(BUILD, "", ["ROC201"], id="no service"),
    ],
)  # fmt: skip
def test_a_service_mounts_the_script_into_its_image(
    repository: Repository, dockerfile: str, compose: str, codes: list[str]
) -> None:
    repository.write("Dockerfile", dockerfile)
    repository.write("docker-compose.yml", compose)
    assert repository.codes("setup.sh", SCRIPT) == codes


def test_a_mounted_script_that_makes_an_environment_finds_nothing_there(
    repository: Repository,
) -> None:
    repository.write("Dockerfile", BUILD)
    repository.write("compose.yaml", service(".", MOUNT))
    script = f"python -m venv env && . env/bin/activate\n{SCRIPT}"
    assert repository.codes("setup.sh", script) == ["ROC201"]


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ('ENTRYPOINT ["/start.sh"]', []),
        ("CMD bash -e /start.sh", []),
        ("CMD bash -o pipefail /start.sh", []),
        ("CMD tini -- /start.sh", []),
        ("CMD python -m start.sh", ["ROC201"]),
        ("CMD echo start.sh", ["ROC201"]),
    ],
)
@pytest.mark.parametrize("name", ["start.sh", "start"])
def test_a_script_that_the_image_runs_runs_this_one(
    repository: Repository, name: str, line: str, codes: list[str]
) -> None:
    repository.write(name, "#!/bin/bash\n./setup.sh\n")
    line = line.replace("start.sh", name)
    repository.write("Dockerfile", f"{BUILD}COPY {name} setup.sh /\n{line}\n")
    assert repository.codes("setup.sh", SCRIPT) == codes


def test_what_is_installed_is_not_read_as_a_script(repository: Repository) -> None:
    repository.write("package.whl", "setup.sh\n")
    lines = "COPY package.whl setup.sh /tmp/\nRUN python3 -m pip install /tmp/package.whl\n"
    repository.write("Dockerfile", f"{BUILD}{lines}RUN /tmp/package.whl\n")
    script = repository.write("setup.sh", SCRIPT)
    linter = Linter(Configuration({}).settings_for(str(repository.root)))
    consulted = linter.lint_text(str(script), SCRIPT).consulted
    assert str(repository.root / "Dockerfile") in consulted
    assert str(repository.root / "package.whl") not in consulted
