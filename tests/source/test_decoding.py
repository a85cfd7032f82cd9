"""Files beside Python in other encodings: read, and written back as they were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rocmlint.change.rewrite import encode_like
from rocmlint.errors import RewriteError
from rocmlint.source.decoding import text_of
from tests.support.acme import places

if TYPE_CHECKING:
    from tests.support.project import Project


def test_requirements_may_be_utf16_as_powershell_writes_them(acme: Project) -> None:
    path = acme.root / "requirements.txt"
    path.write_bytes("\ufeffvllm==0.5.0\r\ntorch\r\n".encode("utf-16-le"))
    assert places(acme, "requirements.txt") == ["requirements.txt:1:1"]
    acme.run("--no-cache", "--add-ignore", "für V1", "requirements.txt")
    text = "\ufeffvllm==0.5.0  # rocmlint: ignore[ACME001] für V1\r\ntorch\r\n"
    assert path.read_bytes() == text.encode("utf-16-le")


def test_a_script_need_not_be_utf8(acme: Project) -> None:
    (acme.root / "a.sh").write_bytes(b"# f\xfcr V1\npip install vllm\n")
    acme.run("--no-cache", "--fix", "a.sh")
    assert (acme.root / "a.sh").read_bytes() == b"# f\xfcr V1\npip install aphrodite\n"


@pytest.mark.parametrize("encoding", ["gbk", "cp932", "cp1251"])
@pytest.mark.parametrize("name", ["start.bat", "start.cmd", "start.ps1", "start.sh"])
def test_a_script_may_be_in_the_code_page_of_its_system(
    acme: Project, name: str, encoding: str
) -> None:
    text = "@echo off\r\ncls\r\necho {}\r\npip install vllm\r\n"
    said = {"gbk": "安装", "cp932": "サーバー", "cp1251": "Установка"}[encoding]
    path = acme.root / name
    path.write_bytes(text.format(said).encode(encoding))
    assert places(acme, name) == [f"{name}:4:13"]
    acme.run("--no-cache", "--fix", name)
    assert path.read_bytes() == text.replace("vllm", "aphrodite").format(said).encode(encoding)


@pytest.mark.parametrize("name", ["torch.lua", "torch.tcl", ".env", "torch.service", "torch.eb"])
def test_a_file_that_only_sets_variables_need_not_be_utf8(name: str) -> None:
    assert text_of(name, b"# f\xfcr V1\n") == "# für V1\n"


def test_toml_that_is_no_utf8_is_told(acme: Project) -> None:
    (acme.root / "pyproject.toml").write_bytes(b'name = "\xfc"\nvllm\n')
    (finding,) = acme.findings("--no-cache", "--isolated", "--config", "rules=[]", "pyproject.toml")
    assert finding == ("pyproject.toml", "ROC900")


@pytest.mark.parametrize("data", [b"a\r\nb", b"\xef\xbb\xbfa\n", b"\xff\xfea\0\n\0", b"\xfea\n"])
def test_what_is_read_is_written_back_as_it_was(data: bytes) -> None:
    text = text_of("requirements.txt", data)
    assert encode_like("requirements.txt", data, text) == data
    changed = encode_like("requirements.txt", data, f"{text}c")
    assert text_of("requirements.txt", changed) == f"{text}c"


def test_a_line_that_is_no_requirement_is_told_to_be_unchecked(project: Project) -> None:
    project.write("requirements.txt", "diffusers>==0.5.0\ntorch==2.9.1\n")
    (found,) = json.loads(project.run("--isolated", "--output-format", "json").stdout)["findings"]
    assert (found["code"], found["line"]) == ("ROC900", 1)
    assert found["help"].startswith("pip stops here: ")


def test_what_an_encoding_lacks_is_refused() -> None:
    with pytest.raises(RewriteError, match="which latin-1 cannot encode"):
        encode_like("a.sh", b"\xfc\n", "\u2713\n")
