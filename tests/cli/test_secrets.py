"""No command prints or writes a password or a token of a URL: every verb, over planted secrets."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli import export, stack, verify
from rocmlint.cli.flags import FLAGS
from rocmlint.cli.main import VERBS
from rocmlint.cli.verify import model
from tests.support.editor import Editor
from tests.support.environments import Environment
from tests.support.git import git
from tests.support.project import Project
from tests.support.tools import path_of

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "S3CRET"  # noqa: S105 - of nobody
INDEX = f"https://oauth2:{SECRET}@download.pytorch.org/whl/cu121"
"""An index that rules and `stack plan` say something of: it has wheels for CUDA only."""
TOKEN = f"https://{SECRET}@pypi.acme.example/simple"
REPOSITORY = f"git+https://x-access-token:{SECRET}@github.com/acme/flash-attention@v2.6.3"
PIP = f"pip install 'torch==2.4.1' --index-url {INDEX} --extra-index-url {TOKEN}"
FILES = {
    "requirements.txt": f"--index-url {INDEX}\n--extra-index-url {TOKEN}\ntorch==2.4.1\n"
    f"flash-attn @ {REPOSITORY}\nbitsandbytes @ https://me:{SECRET}@acme.example/bnb-0.43.whl\n"
    f"xformers>=0.0.20 --index-url {INDEX}\n",
    "pyproject.toml": '[project]\nname = "job"\nversion = "1"\n'
    f'dependencies = ["torch==2.4.1", "flash-attn @ {REPOSITORY}"]\n'
    f'[[tool.uv.index]]\nname = "torch"\nurl = "{INDEX}"\n'
    f'[tool.uv.sources]\ntorch = {{ index = "torch" }}\nvllm = {{ git = "{REPOSITORY[4:]}" }}\n',
    "uv.toml": f'index-url = "{INDEX}"\nextra-index-url = ["{TOKEN}"]\n',
    "pip.conf": f"[global]\nindex-url = {INDEX}\nextra-index-url = {TOKEN}\n",
    "Pipfile": f'[[source]]\nname = "torch"\nurl = "{INDEX}"\nverify_ssl = true\n'
    f'[packages]\ntorch = {{ version = "==2.4.1", index = "torch" }}\n',
    "environment.yml": "dependencies:\n  - python=3.11\n  - pip:\n"
    f"    - --index-url {INDEX}\n    - torch==2.4.1\n    - flash-attn @ {REPOSITORY}\n",
    "Dockerfile": f"FROM rocm/pytorch:latest\nARG PIP_INDEX_URL={INDEX}\n"
    f"ENV UV_INDEX_URL={INDEX}\nRUN {PIP}\nRUN pip install {REPOSITORY} vllm>=0.5\n",
    "docker-compose.yml": f"services:\n  job:\n    image: rocm/pytorch\n    command: {PIP}\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    env:\n"
    f"      PIP_INDEX_URL: {INDEX}\n    steps:\n      - run: {PIP}\n",
    "install.sh": f"export PIP_EXTRA_INDEX_URL={TOKEN}\n{PIP}\npip install '{REPOSITORY}'\n"
    f"pip install torch>=2.4 --index-url {INDEX}\nuv pip install vllm --index {INDEX}\n",
    "Makefile": f"install:\n\t{PIP}\n",
    ".env.example": f"API_KEY={SECRET}\nHSA_OVERRIDE_GFX_VERSION=gfx90a  # {SECRET}={SECRET}\n"
    f"export TOKEN='{SECRET}'\n",
    "job.service": f"[Service]\nEnvironment=API_KEY={SECRET} HSA_OVERRIDE_GFX_VERSION=gfx90a "
    f'"TOKEN={SECRET}"\n',
    "README.md": f"```bash\n{PIP}\n```\n",
    "setup.py": "from setuptools import setup\n"
    f'setup(name="job", install_requires=["torch==2.4.1", "flash-attn @ {REPOSITORY}"])\n',
    "job.py": "import os, torch\nfrom PIL import Image, ImageOps\n\n\ndef build():\n"
    f"    os.system('{PIP.replace(chr(39), '')}')\n    return torch.nn.Linear(2, 2)\n\n\n"
    f"def upright(path):  # {INDEX}\n    image = Image.open(path)\n"
    f"    ImageOps.exif_transpose(image)  # see {INDEX}\n    return image  # {INDEX}\n",
    "run.ipynb": json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": [f"!{PIP}\n", f"%pip install {REPOSITORY} vllm>=0.5"],
                }
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
    "rows.txt": "x\n",
    "train.log": f"export HF_TOKEN={SECRET}x API_KEY='{SECRET}'\n"
    f"Authorization: Bearer {SECRET}xyz\n"
    f'Traceback (most recent call last):\n  File "{INDEX}/a.py", line 3, in f\n    {INDEX}\n'
    f"RuntimeError: {INDEX} HF_TOKEN={SECRET}: HIP error: invalid device ordinal\n",
    "trace.json": json.dumps({"traceEvents": [], "note": INDEX}),
}
VARIABLES = {
    **dict.fromkeys(("PIP_INDEX_URL", "UV_INDEX_URL", "PIP_EXTRA_INDEX_URL"), INDEX),
    **dict.fromkeys(("HF_TOKEN", "WANDB_API_KEY", "GITHUB_TOKEN"), SECRET),
    "HSA_OVERRIDE_GFX_VERSION": "10.3.0",
}
REPORTS = [f"--output={each}:report.{each}" for each in FLAGS["output-format"].choices]


PYTHON = "--python {python}"
"""An environment whose packages came from such places."""
ROCM = "--rocm 9.9 --torch 2.4.1"
OWN = "-- {own} hello.py"
JSON = "--output-format json"
RUNS = {
    "check": (
        "--preview --verbose " + " ".join(REPORTS),
        *(f"--preview . --output-format {each}" for each in FLAGS["output-format"].choices),
        "--preview . --fix --unsafe-fixes --show-fixes",
        "--preview . --add-ignore",
        "--preview . --baseline known.json --write-baseline",
        "--preview --show-settings",
        f"--preview {INDEX}",
        f"--index-url {INDEX}",
        f"--select {INDEX}",
        f"--config {INDEX}",
    ),
    "why": (
        f"train.log {PYTHON}",
        f"train.log {JSON}",
        f"ValueError:HF_TOKEN={SECRET},{INDEX}",
        INDEX,
        f"train.log -o told.json {JSON} {PYTHON}",
        f"train.log {INDEX}",
        f"-o told.json -- {{own}} no_such_file.py --index-url={INDEX}",
    ),
    "doctor": (
        f". {PYTHON}",
        f". {PYTHON} {JSON}",
        f". {PYTHON} -v",
        f"{INDEX}",
        f". -v {OWN} --index-url={INDEX} --token={SECRET}",
        f". -o told.json {JSON} {OWN} --hf-token {SECRET}",
    ),
    "diff": ("HEAD~1 --preview", f"HEAD~1 --preview {JSON}", f"{INDEX}"),
    "rule": ("ROC201", INDEX),
    "config": ("", f"--index-url {INDEX}"),
    "server": (f"--config {INDEX}",),
    "completion": ("bash", INDEX),
    "clean": ("", INDEX),
    "version": ("", JSON),
    "help": ("", INDEX),
    "verify claims": (f". {PYTHON}", f". {PYTHON} {JSON}", f". {PYTHON} --output-format junit"),
    "verify manifest": (
        f"over --package tiny==1.0 {PYTHON} -o manifest.toml",
        "--functions job.py",
    ),
    "verify patches": (f"--manifest pyproject.toml {PYTHON}", f"--manifest {INDEX} {PYTHON}"),
    "verify stock": (f"tiny {PYTHON}", f"tiny {PYTHON} {JSON}", f"{INDEX} {PYTHON}"),
    "verify live": (f"tiny.mod {PYTHON}", f"tiny.mod {PYTHON} {JSON}"),
    "verify run": (
        f"--module json --keep kept -o told.json {OWN} --index-url={INDEX} --token={SECRET}",
        f"--module json --keep kept {OWN} --extra-index-url {TOKEN} --hf-token {SECRET}",
        f"--module json {JSON} {OWN} --index-url {INDEX}",
        f"--variable PIP_INDEX_URL={INDEX}x {JSON} {OWN}",
        f"--variable HF_TOKEN={SECRET}x {OWN}",
    ),
    "verify ranks": ("kept", f"kept {JSON}"),
    "verify kernels": ("--arch gfx942 .",),
    "verify trace": ("trace.json -n .",),
    "verify probe": (f"job:build {PYTHON} .",),
    "verify variables": (f". {PYTHON}", f". {PYTHON} {JSON} --variable PIP_INDEX_URL={INDEX}"),
    "verify dtype": (f"job:build {PYTHON}",),
    "verify export": (f"job:build {PYTHON}",),
    **{f"verify model {each}": (f"job:build {PYTHON}",) for each in model.CHECKS},
    "stack show": (PYTHON, f"{PYTHON} {JSON} --constraints pins.txt"),
    "stack index-url": (
        f"--rocm 9.9 --index-url {INDEX}",
        f"--rocm 9.9 --index-url {INDEX} {JSON}",
    ),
    "stack install-command": (
        f"{ROCM} --index-url {INDEX} {PYTHON}",
        f"{ROCM} --index-url {INDEX} {PYTHON} {JSON}",
    ),
    "stack compatible": (f"--offline {PYTHON}", f"--offline --torch 2.4.1 {REPOSITORY}"),
    "stack plan": (
        f"--to 7.1 {PYTHON}",
        f"--to 7.1 {PYTHON} {JSON}",
        f"--to 7.1 {PYTHON} --index-url {INDEX} --freeze frozen.txt",
    ),
    "stack freeze": (PYTHON, f"{PYTHON} {JSON}"),
    "stack survived": (PYTHON, f"{PYTHON} {JSON}"),
    "stack update": (f"--index-url http://me:{SECRET}@127.0.0.1:9/simple --timeout 3",),
    "export check": ("job.py", f"job.py {JSON}", f"job.py --against {INDEX}"),
    "export rewrite": ("job.py", f"job.py {JSON}"),
}
GROUPS = {"verify": verify.VERBS, "stack": stack.VERBS, "export": export.VERBS}
CASES = [(verb, arguments) for verb, several in RUNS.items() for arguments in several]


def test_every_verb_is_run() -> None:
    verbs = {verb for verb in VERBS if verb not in GROUPS}
    for group, below in GROUPS.items():
        verbs |= {f"{group} {verb}" for verb in below}
    verbs.remove("verify model")
    assert set(RUNS) == verbs | {f"verify model {each}" for each in model.CHECKS}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Make an environment of packages that were installed from secret addresses."""
    made = Environment(tmp_path_factory.mktemp("environment") / "venv")
    made.install("tiny", "1.0", {"tiny/__init__.py": "", "tiny/mod.py": "def f():\n    return 1\n"})
    archive: dict[str, object] = {"archive_info": {}}
    places = {
        "torch-2.4.1+cu121": {"url": f"https://me:{SECRET}@acme.example/torch.whl", **archive},
        "bitsandbytes-0.43.0": {"url": f"https://{SECRET}@acme.example/b.whl", **archive},
        "flash_attn-2.6.3": {
            "url": REPOSITORY[4:],
            "vcs_info": {"vcs": "git", "commit_id": "abc"},
        },
    }
    for named, place in places.items():
        name, _, version = named.partition("-")
        made.install(name, version, {f"{name}/__init__.py": ""})
        made.write(f"{named}.dist-info/direct_url.json", json.dumps(place))
    return made


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a repository with the planted files; the commit before has other ones."""
    root = tmp_path_factory.mktemp("template") / "project"
    planted = {**FILES, "hello.py": "print('hello')\n", "over/tiny/mod.py": "def f(): return 2\n"}
    for name, text in planted.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    if path_of("git") is not None:
        git(root, "init", "--quiet")
        git(root, "commit", "--quiet", "--allow-empty", "--message=nothing")
        git(root, "add", ".")
        git(root, "commit", "--quiet", "--message=all")
    return root


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "arguments"), CASES, ids=[" ".join(each)[:60] for each in CASES])
def test_no_secret_is_printed_or_written(
    verb: str, arguments: str, template: Path, environment: Environment, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(template, project.root, symlinks=True)
    variables = {**VARIABLES, "HOME": str(tmp_path), "TMPDIR": str(tmp_path / "temporary")}
    variables |= {f"XDG_{each}_HOME": str(tmp_path / each) for each in ("CACHE", "DATA", "CONFIG")}
    (tmp_path / "temporary").mkdir()
    given = arguments.format(python=environment.python, own=sys.executable)
    if verb == "verify ranks":
        kept = f"verify run --keep kept {OWN} --index-url={INDEX}".format(own=sys.executable)
        project.run(*kept.split(), **variables)
    if verb == "stack survived":
        project.run("stack", "freeze", "--python", str(environment.python), **variables)
    ran = project.run(*verb.split(), *given.split(), **variables)
    assert "internal error" not in ran.stderr
    printed = [line for line in (ran.stdout + ran.stderr).splitlines() if SECRET in line]
    assert printed == []
    assert [path for path in written(tmp_path) if path not in planted(template)] == []


KEPT = frozenset({".git", "__pycache__"})


def planted(template: Path) -> set[str]:
    return {str(path.relative_to(template.parent)) for path in template.rglob("*")}


def written(folder: Path) -> list[str]:
    """Return the files with the secret, but for what git and Python keep of the planted ones."""
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and KEPT.isdisjoint(path.parts) and SECRET.encode() in path.read_bytes()
    ]


@pytest.mark.slow
def test_the_language_server_shows_no_secret(template: Path) -> None:
    pytest.importorskip("pygls")
    editor = Editor(template, "--isolated", "--preview")
    for name in FILES:
        if not name.endswith(".ipynb"):
            editor.open(name)
            editor.diagnostics(name)
    editor.close()
    said = [message for way, message in editor.transcript if way == "<-"]
    assert [each for each in said if SECRET in json.dumps(each)] == []
