"""A real file of each format that is not Python."""

from __future__ import annotations

REAL = {
    "requirements.txt": """\
--extra-index-url https://download.pytorch.org/whl/rocm6.2
torch==2.4.1 \\
    --hash=sha256:00
-r requirements/base.txt
-e git+https://github.com/x/y.git@v1#egg=z
numpy>=1.24,<2 ; python_version < "3.12"  # é
""",
    "pyproject.toml": """\
[project]
dependencies = ["torch>=2", 'a[b]; python_version<"3"']
[dependency-groups]
test = ["pytest", {include-group = "x"}]
[tool.poetry.dependencies]
t = [{version = "^1", python = "<3.9"}, {version = ">=2", extras = ["é"]}]
[[tool.uv.index]]
url = "https://download.pytorch.org/whl/rocm6.2"
""",
    "setup.cfg": """\
[options]
install_requires =
    torch>=2 ; python_version<"3"
[options.extras_require]
dev = a>1; python_version<"3"
""",
    "setup.py": "R = ['torch>=2']\nsetup(install_requires=R + ['é'], extras_require={'a': R})\n",
    "environment.yml": """\
dependencies:
  - pytorch=2.3
  - pip:
    - "a>=1"
    - -r more.txt
""",
    "env_rocm.yaml": "dependencies:\n  - pytorch>=2.3,<3\n  - pip:\n    - torch>=2  # é\n",
    "cog.yaml": """\
build:
  gpu: true
  python_packages: ["torch==2.3.1", 'a>=1']
  python_requirements: "requirements.txt"
  run:
    - pip install "a>=1" && pip list
    - command: pip install b
""",
    "Dockerfile": """\
# syntax=docker/dockerfile:1
ARG BASE=rocm/pytorch:latest
FROM --platform=linux/amd64 ${BASE} AS base
ENV A=b C="d é" URL=https://x/$BASE
RUN --mount=type=cache,target=/c pip install torch>=2 \\
    # why
    && pip install "$C" -i $URL
RUN ["bash", "-c", "pip install \\"x\\""]
RUN <<EOF bash
pip install h
EOF
""",
    "install.sh": """\
#!/usr/bin/env bash
set -e
URL="https://x/rocm${V:-6.2}"
PACKAGES=(torch 'b c' "$@")
retry() { "$@" || { sleep 1; "$@"; }; }
if ! pip show x >/dev/null 2>&1; then
  retry sudo -H pip install torch>=2 "${PACKAGES[@]}" --index-url "$URL" # é
fi
bash -lc "pip install \\"a>=1\\" && cd $(mktemp -d)"
cat <<'EOF' | python -
import torch
EOF
""",
    "conda-lock.yml": """\
version: 1
package:
- name: pytorch
  version: '2.4.0'
  manager: conda
  platform: linux-64
  url: https://conda.anaconda.org/conda-forge/linux-64/é.conda
  category: main
""",
    "Pipfile": """\
[[source]]
url = "https://download.pytorch.org/whl/rocm6.2"
name = "rocm"
[packages]
torch = {version = "==2.4.1", index = "rocm", extras = ["x"]}
a = "*"  # é
[dev-packages]
"b" = '>=1'
""",
    "pixi.toml": """\
[dependencies]
pytorch = { version = ">=2.4,<3", channel = "conda-forge" }
[pypi-dependencies]
torch = "==2.4.1"
[pypi-options]
extra-index-urls = ["https://download.pytorch.org/whl/rocm6.2"]
[tasks]
install = "pip install \\"torch>=2\\" é && ls"
build = { cmd = ["pip", "install", "é"], env = { A = "b" }, cwd = "x" }
""",
    "tox.ini": """\
[testenv]
deps =
    torch24: torch==2.4.1
    -r requirements.txt
setenv =
    PIP_INDEX_URL = https://download.pytorch.org/whl/rocm6.2
commands =
    - pip install "a>=1" \\
        {posargs:é}
""",
    "rocm.def": """\
Bootstrap: docker
From: rocm/pytorch:{{ TAG }}
%arguments
    TAG=latest
%files
    a.txt /opt/é.txt
%post
    pip install torch>=2 \\
        --index-url https://download.pytorch.org/whl/rocm6.2
""",
    "docker-compose.yml": """\
services:
  train: &train
    image: rocm/pytorch:${TAG:-latest}
    command: bash -c "pip install 'torch>=2' && python é.py $$HOME"
  serve:
    <<: *train
    build:
      args: {INDEX: "https://download.pytorch.org/whl/rocm6.2"}
      dockerfile_inline: |
        FROM rocm/pytorch
        ARG INDEX
        RUN pip install torch --index-url $$INDEX
    entrypoint: ["pip", "install", "é"]
""",
    ".devcontainer/devcontainer.json": """\
// é
{
\t"image": "rocm/pytorch", /* why
\t*/
\t"postCreateCommand": "pip install \\"torch>=2\\" ${localEnv:X}",
\t"postStartCommand": {"a": ["pip", "install", "é"],},
}
""",
    "Makefile": """\
PIP ?= pip3  # é
PACKAGES = torch>=2 \\
  b
export URL := https://x
install: venv ; @echo $$HOME
\t@$(PIP) install $(PACKAGES) "$(URL)" $(shell ls (x)) é
ifeq ($(GPU),cuda)
\t-pip install \\
\t  torch
else
\tpip install d
endif
""",
    "justfile": """\
set shell := ["bash", "-c"]
export URL := "https://x"
install version="2": venv
    @pip install torch=={{version}} \\
        --index-url {{ URL }} é
script:
    #!/usr/bin/env bash
    pip install {{{{a
""",
    "install.ps1": """\
$index = "https://download.pytorch.org/whl/rocm6.2"
$env:A = 'b'
if ($gpu -eq "é") { & ".venv\\Scripts\\pip.exe" install torch `
    --index-url $index } else { pip install 'torch>=2' "$(ls) $x.y" }
@"
pip install c
"@
""",
    "install.bat": """\
@echo off
set INDEX=https://download.pytorch.org/whl/rocm6.2
if exist é (
  call pip install torch --index-url %INDEX% ^
    "a>=1"
) else (pip install !B! %1)
:: why
""",
    "README.md": """\
# é
```bash
pip install torch>=2 \\
    b
```
1. x
   ~~~console
   $ pip install é
   Collecting é
   ~~~
""",
    ".github/workflows/test.yml": """\
on: [push]
env: {URL: https://x}
jobs:
  test:
    container: rocm/pytorch:${{ matrix.tag }}
    steps:
      - run: |
          pip install torch>=2 "$URL" é
      - run: >-
          pip install
          b
      - run: "pip \\
          install \\"c\\""
        env: &e {A: b}
      - {run: pip install d, env: *e}
""",
    "ds_config.json": """\
{
  // é
  "steps_per_print": 10,
  "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 2e8},
  "bf16": {"enabled": "auto", "a": [1, {"b": null}]}
}
""",
    "configs/zero2.yaml": """\
trainer: &t
  deepspeed:
    zero_optimization: {stage: 2, "é": '5e8'}
    bf16:
      enabled: ${bf16}
other: [*t]
""",
    ".gitlab-ci.yml": """\
variables: {A: é}
test:
  image: {name: "rocm/pytorch:$TAG"}
  parallel:
    matrix:
      - TAG: [a, "b"]
        PIN: é
  script:
    - pip install "x==$PIN" $A
""",
    ".circleci/config.yml": """\
jobs:
  test:
    parameters: {pin: {default: "é"}}
    docker: [{image: "rocm/dev:<< parameters.tag >>"}]
    steps: [{run: "pip install x==<< parameters.pin >>"}]
workflows:
  all:
    jobs:
      - test: {matrix: {parameters: {tag: [a, b]}, exclude: [{tag: a}]}}
""",
    "azure-pipelines.yml": """\
variables: [{name: a, value: é}]
jobs:
- strategy: {matrix: {one: {pin: "1"}, two: {pin: é}}}
  steps:
  - bash: pip install x==$(pin) $(a) "${{ b }}"
""",
    "job/.env.example": """\
# é
export HSA_OVERRIDE_GFX_VERSION="11.0.0"
TOKEN='é'
X = $Y
""",
    "job.service": """\
[Service]
Environment=HSA_OVERRIDE_GFX_VERSION=11.0.0 "A=é b" \\
    C=1
ExecStart=/bin/true
""",
    "torch.lua": """\
-- é
setenv("HSA_OVERRIDE_GFX_VERSION", "11.0.0")
pushenv('A', "é")
""",
    "rocm.tcl": """\
#%Module1.0
set root /opt/rocm-6.4.1
setenv ROCM_PATH $root
setenv MIOPEN_FIND_MODE FAST ;# the first call would take minutes
pushenv HSA_XNACK 1
prepend-path PATH $root/bin
""",
    "torch.eb": """\
name = 'é'
modextravars = {'HSA_OVERRIDE_GFX_VERSION': '11.0.0', 'é': "é"}
""",
    "install.rst": """\
Install
=======

.. code-block:: console
   :linenos:

   $ pip install "torch>=2" \\
       --index-url https://download.pytorch.org/whl/rocm6.2

Or::

    export HSA_OVERRIDE_GFX_VERSION=11.0.0  # é
""",
}
