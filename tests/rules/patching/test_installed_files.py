"""Scripts and Dockerfiles that change installed files: which changes are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter

if TYPE_CHECKING:
    from pathlib import Path

SITE = "/opt/venv/lib/python3.12/site-packages"
ASKED = 'path=$(python -c "import transformers; print(transformers.__path__[0])")\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def found(root: Path, path: str, text: str) -> list[tuple[str, str]]:
    """Return the code of each finding, and the package that it names."""
    linter = Linter(Configuration({"preview": True}).settings_for(str(root)))
    analysis = linter.lint_text(str(root / path), text)
    assert not analysis.problems
    findings = [each for each in analysis.findings if each.code == "ROC119"]
    return [(each.code, each.message.split("`")[-2]) for each in findings]


COPY = [("ROC119", "transformers")]


@pytest.mark.parametrize(
    "command",
    [
        f"cp a.py {SITE}/transformers/trainer.py",
        f"cp a.py b.py {SITE}/transformers/models/gemma",
        f"cp -t {SITE}/transformers a.py",
        f"sudo cp -f a.py '{SITE}/transformers/'",
        f"mv a.py {SITE}/transformers/trainer.py",
        f"rsync -a patches/ {SITE}/transformers/models/",
        f"install -m 644 a.py {SITE}/transformers/trainer.py",
        f"cd {SITE} && cp /w/a.py transformers/trainer.py",
        f"S={SITE}\ncp a.py $S/transformers/trainer.py",
        f"if [ -d x ]; then\n  cp a.py {SITE}/transformers/trainer.py\nfi",
        f"{ASKED}cp a.py $path/trainer.py",
        f'{ASKED}cp a.py "${{path}}/models/gemma/"',
        f"{ASKED}models=$path/models\ncp -r patches/* $models/",
        "cp a.py \"$(python -c 'import transformers as t; print(t.__path__[0])')/trainer.py\"",
        "d=$(pip show transformers | grep Location | cut -d: -f2)\ncp a.py $d/transformers/a.py",
        (
            "d=$(python -c 'import site as s; print(s.getsitepackages()[0])')\n"
            "cp a.py $d/transformers/trainer.py"
        ),
        (
            "d=`python -c 'import sysconfig as s; print(s.get_path(\"purelib\"))'`\n"
            "cp a.py $d/transformers/a.py"
        ),
    ],
)
def test_a_copy_into_an_installed_package_is_reported(command: str, root: Path) -> None:
    assert found(root, "install.sh", f"{command}\npython train.py\n") == COPY


@pytest.mark.parametrize(
    "command",
    [
        f"cp {SITE}/transformers/trainer.py stock.py",
        f"cp -r transformers {SITE}/",
        f"cp a.pth {SITE}/a.pth",
        f"cp ca.pem {SITE}/certifi/cacert.pem",
        f"cp LICENSE {SITE}/transformers/",
        f"cp librccl.so {SITE}/torch/lib/librccl.so",
        f"cp -r build/images/* {SITE}/torch/lib/aotriton.images/",
        f"cp -r data/* {SITE}/some_package/data/",
        f"cp --help {SITE}/transformers/a.py",
        f"echo {SITE}/transformers/trainer.py",
        "cp a.py $UNKNOWN/transformers/trainer.py",
        'here=$(python -c "import os; print(os.__file__)")\ncp a.py $here/x.py',
        "cp a.py transformers/trainer.py",
    ],
)
def test_what_replaces_no_code_of_a_package_is_not(command: str, root: Path) -> None:
    assert found(root, "install.sh", f"{command}\n") == []


@pytest.mark.parametrize(
    "check",
    [
        "python -c 'import transformers.trainer'",
        'python3 -c "from transformers import trainer as t; print(t.__file__)"',
        "cmp a.py $path/trainer.py",
        "diff -q a.py $path/trainer.py || exit 1",
        "grep -q ROCM $path/trainer.py",
        "sha256sum -c transformers.sums",
        "pytest tests/test_patch.py",
        "python -m pytest tests",
        "python -m compileall $path",
        "python - <<'EOF'\nimport transformers.trainer\nEOF",
        "rocmlint verify files patches.json",
    ],
)
def test_a_look_at_what_was_copied_is_enough(check: str, root: Path) -> None:
    copied = f"{ASKED}cp a.py $path/trainer.py\n"
    assert found(root, "install.sh", f"{copied}{check}\n") == []
    assert found(root, "install.sh", f"{check}\n{copied}") == COPY


@pytest.mark.parametrize(
    "command",
    [
        "python train.py",
        "python -c 'import torch'",
        "pip list | grep torch",
        "ls",
        "python -m train",
    ],
)
def test_what_looks_at_something_else_is_not(command: str, root: Path) -> None:
    assert found(root, "install.sh", f"{ASKED}cp a.py $path/trainer.py\n{command}\n") == COPY


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        (f"COPY a.py {SITE}/transformers/trainer.py", COPY),
        (f'COPY ["a.py", "{SITE}/transformers/"]', COPY),
        (f"ADD patches/ {SITE}/transformers/models/", COPY),
        (f"WORKDIR {SITE}\nCOPY a.py transformers/trainer.py", COPY),
        (f"RUN cp a.py {SITE}/transformers/trainer.py", COPY),
        (f"RUN mkdir -p {SITE}/transformers && cp a.py {SITE}/transformers/a.py", COPY),
        (
            f"COPY a.py {SITE}/transformers/a.py\nRUN python -c 'import transformers.a'",
            [],
        ),
        (f"COPY --from=build {SITE}/transformers {SITE}/transformers", []),
        (f"COPY --from=build {SITE} {SITE}", []),
        (f"COPY x.pth {SITE}/", []),
        (f"COPY own {SITE}/own", []),
    ],
)
def test_what_a_dockerfile_copies(
    instruction: str, expected: list[tuple[str, str]], root: Path
) -> None:
    assert found(root, "Dockerfile", f"FROM rocm/pytorch\n{instruction}\n") == expected


@pytest.mark.parametrize(
    ("path", "script", "expected"),
    [
        ("Dockerfile", f"FROM rocm/vllm:6.4\nCOPY a.py {SITE}/vllm/", "warning"),
        ("Dockerfile", f"FROM rocm/vllm:6.4\nRUN sed -i s/a/b/ {SITE}/vllm/a.py", "warning"),
        ("Dockerfile.rocm", f"FROM x\nRUN sed -i s/a/b/ {SITE}/vllm/a.py", "warning"),
        ("install_rocm.sh", f"cp a.py {SITE}/vllm/a.py", "warning"),
        ("install_rocm.sh", f"set -e\nmkdir -p {SITE}/vllm\ncp a.py {SITE}/vllm/a.py", "warning"),
        ("install_rocm.sh", f"cp a.py {SITE}/vllm/a.py || true", "warning"),
        ("install_rocm.sh", f"pip install vllm trl==0.8\ncp a.py {SITE}/vllm/a.py", "warning"),
        ("Dockerfile.cuda", f"FROM x\nRUN sed -i s/a/b/ {SITE}/vllm/a.py", "note"),
        # Nothing names an AMD GPU.
        ("Dockerfile", f"FROM nvidia/cuda\nCOPY a.py {SITE}/vllm/", "note"),
        ("install.sh", f"sed -i s/a/b/ {SITE}/vllm/a.py", "note"),
        # It may well be the right place.
        ("install_rocm.sh", f"set -e\ncp a.py {SITE}/vllm/a.py", "note"),
        ("install_rocm.sh", f"set -e\nmkdir -p logs\ncp a.py {SITE}/vllm/a.py", "note"),
        ("install_rocm.sh", f"cp a.py {SITE}/vllm/a.py || exit 1", "note"),
        ("install_rocm.sh", f"cp a.py {SITE}/vllm/a.py || {{ echo >&2; exit 1; }}", "note"),
        ("install_rocm.sh", f"pip install 'vllm[x]==0.9.1'\ncp a.py {SITE}/vllm/a.py", "note"),
        ("install_rocm.sh", f"{ASKED}cp a.py $path/trainer.py", "note"),
    ],
)
def test_a_change_is_a_warning_where_it_is_made_for_amd_gpus(
    path: str, script: str, expected: str, root: Path
) -> None:
    linter = Linter(Configuration({}).settings_for(str(root)))
    findings = linter.lint_text(str(root / path), f"{script}\n").findings
    assert [each.severity for each in findings if each.code == "ROC119"] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Nothing of the package lies there: in another environment, the import fails.
        (f"mkdir -p {SITE}/own_kernels\ncp a.py {SITE}/own_kernels/a.py", []),
        (f"mkdir -p {SITE}/transformers/models/own\ncp a.py {SITE}/transformers/models/own/", []),
        (f"install -D -m 644 a.py {SITE}/transformers/models/own/a.py", []),
        (f"install -D a.py {SITE}/own_kernels/a.py", []),
        # The package has it, or may have it.
        (f"mkdir -p {SITE}/transformers/models\ncp a.py {SITE}/transformers/models/", COPY),
        (f"install -D a.py {SITE}/transformers/models/gemma/a.py", COPY),
        (f"mkdir -p logs\ncp a.py {SITE}/transformers/models/own/a.py", COPY),
        (f"mkdir -p {SITE}/transformers/a\ncp a.py {SITE}/transformers/b/a.py", COPY),
        (
            f"pip install own_kernels\nmkdir -p {SITE}/own_kernels\ncp a.py {SITE}/own_kernels/",
            [("ROC119", "own_kernels")],
        ),
    ],
)
def test_a_folder_that_the_script_makes_may_be_a_new_one(
    text: str, expected: list[tuple[str, str]], root: Path
) -> None:
    assert found(root, "install.sh", f"{text}\n") == expected


def test_a_python_in_a_variable_looks_as_well(root: Path) -> None:
    look = "$PY -c 'import transformers.trainer'\n"
    text = f"PY=${{1:-python3}}\ncp a.py {SITE}/transformers/trainer.py\n"
    assert found(root, "install.sh", text) == COPY
    assert found(root, "install.sh", f"{text}{look}") == []


def test_a_package_of_the_project_is_its_own_business(root: Path) -> None:
    (root / "src" / "transformers").mkdir(parents=True)
    assert found(root, "Dockerfile", f"COPY a.py {SITE}/transformers/trainer.py\n") == []


def test_a_copy_is_reported_in_other_formats_with_commands(root: Path) -> None:
    command = f"mkdir -p {SITE}/transformers && cp a.py {SITE}/transformers/trainer.py"
    assert found(root, "Makefile", f"patch:\n\t{command}\n") == COPY
    assert found(root, "rocm.def", f"Bootstrap: docker\nFrom: x\n%post\n  {command}\n") == COPY
    assert found(root, "install.py", f"import os\nos.system('{command}')\n") == []
    assert found(root, "test_install.sh", f"{command}\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"sed -i s/a/b/ {SITE}/vllm/a.py", ["ROC119"]),
        (f"sed --in-place=.bak -e s/a/b/ {SITE}/vllm/a.py", ["ROC119"]),
        (f"perl -pi -e s/a/b/ {SITE}/vllm/a.py", ["ROC119"]),
        (f"sed -n 1p {SITE}/vllm/a.py", []),
        (f"sed -i s/a/b/ {SITE}/vllm-0.11.dist-info/METADATA", []),
        (f"sed -i s/a/b/ {SITE}/vllm/a.json", []),
        (f"sed -i s/a/b/ {SITE}/vllm/a.py\ngrep -q b {SITE}/vllm/a.py", []),
        (f"patch -p1 -d {SITE}/vllm < a.patch", ["ROC119"]),
        (f"cd {SITE}/vllm\npatch -p1 < a.patch", ["ROC119"]),
        (f"patch {SITE}/vllm/a.py a.patch", ["ROC119"]),
        (f"set -e\npatch -p1 -d {SITE}/vllm < a.patch", []),
        (f"set -euo pipefail\npatch -p1 -d {SITE}/vllm < a.patch", []),
        (f"patch --dry-run -p1 -d {SITE}/vllm < a.patch", []),
        ("patch -p1 < a.patch", []),
    ],
)
def test_edits_of_installed_files(text: str, expected: list[str], root: Path) -> None:
    assert [code for code, _ in found(root, "install.sh", f"{text}\n")] == expected


def test_a_patch_that_fails_stops_a_build(root: Path) -> None:
    text = f"FROM x\nRUN patch -p1 -d {SITE}/vllm < a.patch\n"
    assert found(root, "Dockerfile", text) == []
