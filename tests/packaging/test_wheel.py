"""It works from a wheel, from an editable install and from a plain checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support.tools import skip_where_offline

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def dependencies() -> list[str]:
    """Return what a plain install brings."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert isinstance(listed, list)
    return listed


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository that builds may write into."""
    target = tmp_path_factory.mktemp("checkout")
    for name in ("src", "rules", "fixtures"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, target / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, target)
    return target


@pytest.fixture(params=["wheel", "editable install", "plain checkout"])
def python(request: pytest.FixtureRequest, checkout: Path, tmp_path: Path) -> Path:
    """Return the interpreter of a fresh environment in which rocmlint can be imported."""
    venv.create(tmp_path, with_pip=True)
    interpreter = tmp_path / "bin" / "python"
    arguments = {
        "wheel": [str(checkout)],
        "editable install": ["-e", str(checkout)],
        "plain checkout": dependencies(),
    }[request.param]
    command = [str(interpreter), "-m", "pip", "install", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    skip_where_offline(done.returncode, done.stderr)
    assert done.returncode == 0, done.stderr
    if request.param == "plain checkout":
        folder = next((tmp_path / "lib").glob("python*/site-packages"))
        (folder / "checkout.pth").write_text(str(checkout / "src"))
    return interpreter


def test_the_example_project_gives_the_same_findings(python: Path) -> None:
    assert codes(python) == codes(Path(sys.executable))


def codes(python: Path) -> list[tuple[str, int, str]]:
    command = [str(python), "-m", "rocmlint", "--no-cache", "--output-format", "json"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*command, "fixtures/example_project"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["findings"]
    return [(each["path"], each["line"], each["code"]) for each in found]
