"""Which format a file is of: its path tells, or its first line."""

from __future__ import annotations

import pytest

from rocmlint.formats import FORMATS, format_of


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("requirements.txt", "requirements"),
        ("requirements-rocm.txt", "requirements"),
        ("dev_requirements.txt", "requirements"),
        ("requirements/base.txt", "requirements"),
        ("a/requirements/ci/base.in", "requirements"),
        ("requirement.txt", "requirements"),
        ("server/req.txt", "requirements"),
        ("reqs.txt", "requirements"),
        ("dev-reqs.in", "requirements"),
        ("req-rocm.txt", "requirements"),
        ("reqs/base.txt", "requirements"),
        ("request.txt", None),
        ("prereqs.txt", None),
        ("constraints.txt", "constraints"),
        ("requirements/constraints.txt", "constraints"),
        ("pyproject.toml", "pyproject"),
        ("a/setup.cfg", "setup_cfg"),
        ("environment.yml", "conda"),
        ("environment-rocm.yaml", "conda"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.rocm", "dockerfile"),
        ("docker/rocm.dockerfile", "dockerfile"),
        ("Containerfile", "dockerfile"),
        ("Containerfile.rocm", "dockerfile"),
        ("toolbox.Containerfile", "dockerfile"),
        ("targets/Container.vllm", "dockerfile"),
        ("Container.vllm-build", "dockerfile"),
        ("Container.tsx", None),
        ("Container.Scala", None),
        ("Container.stories.tsx", None),
        ("Container", None),
        ("cog.yaml", "cog"),
        ("tools/replicate/cog.yml", "cog"),
        ("recog.yaml", None),
        ("a.sh", "shell"),
        (".github/workflows/a.yaml", "workflow"),
        (".gitlab-ci.yml", "workflow"),
        (".github/actions/install/action.yml", "workflow"),
        ("action.yaml", "workflow"),
        (".circleci/config.yml", "workflow"),
        ("azure-pipelines.yml", "workflow"),
        ("env_rocm.yaml", "conda_env"),
        ("envs/dev-env.yml", "conda_env"),
        ("envs/rocm.yml", None),
        ("conda-lock.yml", "conda_lock"),
        ("locks/rocm.conda-lock.yml", "conda_lock"),
        ("Makefile", "makefile"),
        ("docker/Makefile.rocm", "makefile"),
        ("rules.mk", "makefile"),
        ("Makefile.am", None),
        ("Makefile.in", None),
        ("justfile", "justfile"),
        (".justfile", "justfile"),
        ("ci/rocm.just", "justfile"),
        ("train.sbatch", "shell"),
        ("jobs/train.slurm", "shell"),
        ("rocm.def", "apptainer"),
        ("Singularity", "apptainer"),
        ("Singularity.rocm", "apptainer"),
        ("Singularity.md", "markdown"),
        ("docker-compose.yml", "compose"),
        ("compose.rocm.yaml", "compose"),
        (".devcontainer/devcontainer.json", "devcontainer"),
        (".devcontainer.json", "devcontainer"),
        ("ds_config.json", "deepspeed"),
        ("scripts/zero2_offload.json", "deepspeed"),
        ("configs/zero_stage3_config.json", "deepspeed"),
        ("deepspeed_configs/offload.json", "deepspeed"),
        ("accelerate/deepspeed/two.yaml", "deepspeed_yaml"),
        ("conf/deepspeed.yml", "deepspeed_yaml"),
        ("deepspeed/data/prompts.json", None),
        ("feeds.json", None),
        (".github/workflows/deepspeed.yml", "workflow"),
        ("deepspeed/environment.yml", "conda"),
        ("pixi.toml", "pixi"),
        ("pixi.lock", None),
        ("tox.ini", "tox"),
        ("pytest.ini", None),
        ("Pipfile", "pipfile"),
        ("Pipfile.lock", None),
        ("install.ps1", "powershell"),
        ("install.bat", "batch"),
        ("run.cmd", "batch"),
        ("README.md", "markdown"),
        ("README.rst", "rst"),
        (".env.example", "dotenv"),
        ("docker/rocm.env", "dotenv"),
        ("ollama.service", "service"),
        ("modulefiles/torch/2.4.lua", "lua"),
        ("torch-2.4.eb", "easybuild"),
        ("guide.mdx", "markdown"),
        ("README.adoc", None),
        ("package.json", None),
        ("notes.txt", None),
        ("Dockerfile.dockerignore", None),
        ("a.yml", None),
        ("uv.lock", None),
    ],
)
def test_the_path_tells_the_format(path: str, name: str | None) -> None:
    found = format_of(path)
    assert (None if found is None else found.name) == name
    assert found == next((each for each in FORMATS if each.path.search(path)), None)


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ("#!/bin/bash", "shell"),
        ("#!/bin/sh -e", "shell"),
        ("#! /usr/bin/env bash", "shell"),
        ("#!/usr/bin/env -S bash -eu", "shell"),
        ("\ufeff#!/usr/bin/zsh", "shell"),
        ("#!/usr/bin/env python3", None),
        ("#!/usr/bin/fish", None),
        ("#!/usr/bin/env pwsh", None),
        ("# /bin/sh", None),
        ("", None),
    ],
)
def test_the_first_line_tells_of_a_script_without_a_suffix(first: str, name: str | None) -> None:
    text = f"{first}\npip install x\n"
    for content in (text, text.encode()):
        found = format_of("bin/install", content)
        assert (None if found is None else found.name) == name
    assert format_of("install.py", text) == format_of("install.py") is None
