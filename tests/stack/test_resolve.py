"""What uv is asked, by uv itself: the user's settings count, those of a project do not."""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from rocmlint.stack.resolution.uv import ResolverError, resolve
from tests.support.tools import uv

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.package_index import PackageIndex

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are others elsewhere")
NOBODY = "http://127.0.0.1:9/simple"
PROJECT = '[project]\nname = "x"\nversion = "1"\n'
BOUND = 'constraint-dependencies = ["peft<2"]'
ANSWER = {"peft": Version("2.0")}


@pytest.fixture
def settings(index: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let uv use an index with two releases of peft, and return the user's file of settings."""
    uv()
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_NO_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    index.project("peft", index.wheel("peft", "1.0"), index.wheel("peft", "2.0"))
    path = tmp_path / "config" / "uv" / "uv.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'index-url = "{index.simple}"\n')
    return path


@pytest.mark.usefixtures("settings")
def test_the_index_is_that_of_the_users_settings() -> None:
    assert resolve(["peft"], "3.11") == ANSWER


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("uv.toml", f'index-url = "{NOBODY}"'),
        ("uv.toml", 'override-dependencies = ["peft==1.0"]'),
        ("pyproject.toml", f'[tool.uv]\nindex-url = "{NOBODY}"'),
        ("pyproject.toml", f'{PROJECT}[tool.uv]\noverride-dependencies = ["peft==1.0"]'),
        ("pyproject.toml", f'{PROJECT}[tool.uv]\nworkspace.members = ["temporary/*"]\n{BOUND}'),
    ],
)
@pytest.mark.usefixtures("settings")
def test_a_project_around_the_temporary_folder_is_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str
) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / name).write_text(content)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert resolve(["peft"], "3.11") == ANSWER


@pytest.mark.parametrize("name", ["UV_PROJECT", "UV_WORKING_DIR"])
@pytest.mark.usefixtures("settings")
def test_a_project_of_a_variable_is_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "uv.toml").write_text('override-dependencies = ["peft==1.0"]\n')
    monkeypatch.setenv(name, str(tmp_path))
    assert resolve(["peft"], "3.11") == ANSWER


@pytest.mark.parametrize(
    "setting",
    [
        *("generate-hashes = true", "emit-index-url = true", "emit-index-annotation = true"),
        *("emit-marker-expression = true", "no-strip-extras = true", 'resolution = "lowest"'),
        'emit-build-options = true\nonly-binary = [":all:"]',
        'emit-find-links = true\nfind-links = ["."]',
        *("no-annotate = false", "no-header = false", "universal = true", "all-extras = true"),
    ],
)
def test_how_the_user_lets_uv_compile_does_not_matter(settings: Path, setting: str) -> None:
    settings.write_text(f"{settings.read_text()}[pip]\n{setting}\n")
    assert resolve(["peft"], "3.11") == ANSWER


def test_a_file_of_the_users_settings_is_not_written(settings: Path, tmp_path: Path) -> None:
    out = tmp_path / "requirements.txt"
    settings.write_text(f'{settings.read_text()}[pip]\noutput-file = "{out}"\n')
    assert resolve(["peft"], "3.11") == ANSWER
    assert not out.exists()


def test_a_package_that_uv_is_told_to_hide_is_no_answer(settings: Path) -> None:
    settings.write_text(f'{settings.read_text()}[pip]\nno-emit-package = ["peft"]\n')
    with pytest.raises(ResolverError, match="uv printed no version of peft"):
        resolve(["peft"], "3.11")
