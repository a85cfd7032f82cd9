"""Manifests: made from a folder of patch files, read back, refused when they cannot be right."""

from __future__ import annotations

import hashlib
import os
import string
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.errors import ConfigError
from rocmlint.verify.manifest.function_entries import ManifestFunction
from rocmlint.verify.manifest.read import Manifest, ManifestFile, as_toml, make, read, write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

HASH = hashlib.sha256(b"x = 1\n").hexdigest()
GOOD = f"""\
version = 1

[package]
name = "transformers"
requires = "==4.53.2"

[[file]]
path = "transformers/models/gemma/modeling_gemma.py"
sha256 = "{HASH}"
"""


def files_below(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x = 1\n")
    return root


def paths_of(manifest: Manifest) -> list[str]:
    return [each.path for each in manifest.files]


# ---- making


def test_an_overlay_of_the_package_gets_the_package_in_front(tmp_path: Path) -> None:
    files_below(tmp_path, "models/gemma/modeling_gemma.py")
    made = make(str(tmp_path), "transformers==4.53.2")
    path = "transformers/models/gemma/modeling_gemma.py"
    assert made == Manifest("transformers", "==4.53.2", (ManifestFile(path, HASH),))


def test_an_overlay_that_holds_the_package_is_taken_as_it_is(tmp_path: Path) -> None:
    files_below(tmp_path, "transformers/models/gemma/modeling_gemma.py")
    made = make(str(tmp_path), "transformers==4.53.2")
    assert paths_of(made) == ["transformers/models/gemma/modeling_gemma.py"]


def test_a_package_with_a_dash_is_imported_with_an_underscore(tmp_path: Path) -> None:
    files_below(tmp_path, "ops.py")
    assert paths_of(make(str(tmp_path), "flash-attn>=2.8")) == ["flash_attn/ops.py"]


def test_a_folder_of_another_name_can_be_given(tmp_path: Path) -> None:
    files_below(tmp_path, "Image.py")
    made = make(str(tmp_path), "pillow==11.0", "PIL")
    assert (made.package, paths_of(made)) == ("pillow", ["PIL/Image.py"])


def test_what_python_and_editors_leave_behind_is_not_part_of_the_patch(tmp_path: Path) -> None:
    files_below(tmp_path, "a.py", "__pycache__/a.cpython-311.pyc", "b.pyc", ".git/config", "a.py~")
    assert paths_of(make(str(tmp_path), "tiny==1")) == ["tiny/a.py"]


def test_files_that_are_no_modules_are_part_of_the_patch(tmp_path: Path) -> None:
    files_below(tmp_path, "kernel.hip", "models/__init__.py", "my-script.py")
    made = make(str(tmp_path), "tiny==1")
    modules = {each.path: each.module for each in made.files}
    assert modules == {
        "tiny/kernel.hip": None,
        "tiny/models/__init__.py": "tiny.models",
        "tiny/my-script.py": None,
    }


@pytest.mark.parametrize(
    "requirement", ["", "==1", "tiny=1", "tiny[extra]==1", "tiny @ file:///x", "tiny==1; 1 > 0"]
)
def test_what_is_no_name_with_versions_is_refused(tmp_path: Path, requirement: str) -> None:
    files_below(tmp_path, "a.py")
    with pytest.raises(ConfigError, match="--package: "):
        make(str(tmp_path), requirement)


def test_an_empty_overlay_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing would be checked"):
        make(str(tmp_path), "tiny==1")


def test_a_missing_overlay_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="missing: cannot be read: No such file"):
        make(str(tmp_path / "missing"), "tiny==1")


def test_a_pipe_in_an_overlay_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(ConfigError, match=r"pipe\.py: cannot be read: is not a regular file"):
        make(str(tmp_path), "tiny==1")


def test_a_dangling_link_in_an_overlay_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to("nowhere")
    with pytest.raises(ConfigError, match=r"link\.py: cannot be read"):
        make(str(tmp_path), "tiny==1")


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "again").symlink_to("..")
    with pytest.raises(ConfigError, match="Too many levels"):
        make(str(tmp_path), "tiny==1")


def test_a_file_name_that_cannot_be_written_down_is_refused(tmp_path: Path) -> None:
    files_below(tmp_path, "a\nb.py")
    with pytest.raises(ConfigError, match="printable characters"):
        make(str(tmp_path), "tiny==1")


# ---- writing and reading


def test_a_manifest_is_toml(tmp_path: Path) -> None:
    files_below(tmp_path, "a.py")
    assert tomllib.loads(as_toml(make(str(tmp_path), "tiny==1.0"))) == {
        "version": 1,
        "package": {"name": "tiny", "requires": "==1.0"},
        "file": [{"path": "tiny/a.py", "sha256": HASH}],
    }


NAMES = st.text(min_size=1).filter(
    lambda text: text.isprintable() and text not in {".", ".."} and not set(text) & set("/\\:")
)


@given(st.lists(NAMES, min_size=1, max_size=4).map("/".join), st.text(string.hexdigits[:16]))
def test_every_path_that_is_written_is_read_back(path: str, start: str) -> None:
    file = ManifestFile(f"tiny/{path}", start[:64].ljust(64, "0"))
    assert tomllib.loads(as_toml(Manifest("tiny", "", (file,))))["file"][0]["path"] == file.path


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    files = (ManifestFile('tiny/é "quoted" [x].py', HASH), ManifestFile("tiny/mod.py", HASH))
    manifest = Manifest("tiny", ">=1.0,<2", files)
    write(str(tmp_path / "manifest.toml"), manifest)
    assert read(str(tmp_path / "manifest.toml")) == manifest


def test_a_manifest_that_cannot_be_replaced_is_left_as_it_is(tmp_path: Path) -> None:
    files_below(tmp_path / "overlay", "a.py")
    (tmp_path / "manifest").mkdir()
    with pytest.raises(ConfigError, match="cannot be written"):
        write(str(tmp_path / "manifest"), make(str(tmp_path / "overlay"), "tiny==1"))


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("version = 1", "version = 2", r":1: version must be 1, not 2"),
        ("version = 1", "version = true", r"version must be 1, not True"),
        ("version = 1", "", r"version must be 1, not None"),
        ("version = 1", "version = 1\nextra = 2", r":2: unknown key 'extra'"),
        ("requires", "require", r":5: unknown key 'require' in package; did you mean 'requires'"),
        ("sha256 =", "sha265 =", r"file 1:9: unknown key 'sha265' in file; did you mean 'sha256'"),
        ("transformers/models/gemma", "/etc", r":8: path .* must be relative"),
        ("transformers/models/gemma", "transformers/../..", r":8: path .* must not have .* \.\."),
        ("transformers/models/gemma", "transformers//gemma", r":8: path .* must not have empty"),
        ("transformers/models/gemma", "C:/gemma", r"path .* printable characters other than"),
        ("models/gemma", "models\\\\\\\\gemma", r"path .* printable characters other than"),
        ("models/gemma", "models\\\\u202egemma", r"path .* printable characters other than"),
        (HASH, HASH[:-1], r":9: sha256 of .* must be 64 digits"),
        (HASH, HASH.upper(), r":9: sha256 of .* must be 64 digits"),
        (f'"{HASH}"', "7", r"file 1:9: sha256 must be a string, not 7"),
        (f'sha256 = "{HASH}"', "", r"file 1: sha256 is missing"),
        ('name = "transformers"', "", r"name is missing"),
        ('name = "transformers"', 'name = "a==1"', r":4: name 'a==1': must be a name only"),
        ('name = "transformers"', 'name = "../a"', r"'../a' is not a valid package"),
        ("==4.53.2", "4.53.2", r":5: requires '4.53.2' is not a valid version specifier"),
        ('"==4.53.2"', "4", r"requires must be a string, not 4"),
        ("[[file]]", "[file]", r"file must be written as \[\[file\]\]"),
        ("[package]", "[[package]]", r"\[package\] is missing"),
        ("version = 1", "version = ", r"not valid TOML"),
    ],
)
def test_a_manifest_that_cannot_be_right_is_refused_with_the_place(
    tmp_path: Path, good: str, bad: str, message: str
) -> None:
    assert good in GOOD
    path = tmp_path / "manifest.toml"
    path.write_text(GOOD.replace(good, bad.replace("\\\\", "\\"), 1))
    with pytest.raises(ConfigError, match=rf"manifest\.toml.*{message}"):
        read(str(path))


def test_a_path_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(GOOD + GOOD[GOOD.index("[[file]]") :])
    with pytest.raises(ConfigError, match=r"file 2:8: path .* is listed twice"):
        read(str(path))


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "manifest.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"manifest\.toml: cannot be read"):
        read(str(path))


# ---- the command


def test_the_command_prints_the_manifest(project: Project) -> None:
    files_below(project.root, "overlay/a.py")
    done = project.run("verify", "manifest", "overlay", "--package", "tiny==1")
    assert tomllib.loads(done.stdout)["file"] == [{"path": "tiny/a.py", "sha256": HASH}]


def test_the_command_replaces_a_manifest(project: Project) -> None:
    files_below(project.root, "overlay/a.py", "manifest.toml")
    command = ("verify", "manifest", "overlay", "--package", "tiny==1", "--output", "manifest.toml")
    done = project.run(*command)
    assert (done.returncode, done.stdout) == (0, "manifest.toml: 1 file of tiny\n")
    assert read(str(project.root / "manifest.toml")).package == "tiny"


def test_a_wrong_use_is_told_in_one_line(project: Project) -> None:
    done = project.run("verify", "manifest", "missing", "--package", "tiny==1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: missing: cannot be read: No such file or directory\n"


# ---- functions

LINEAR = "torch.nn.modules.linear:Linear.forward"
FUNCTION = f"""\
version = 1

[[function]]
name = "{LINEAR}"
file = "src/ops.py"
function = "fast"
sha256 = "{HASH}"
"""
KEY = '[[function]]\nname = {}\nfile = "a.py"\n'
PATCHED = GOOD.partition("\n")[2].replace(
    "transformers/models/gemma/modeling_gemma", "torch/nn/modules/linear"
)


def test_functions_need_no_package(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(FUNCTION)
    manifest = read(str(path))
    assert manifest.functions == (ManifestFunction(LINEAR, "src/ops.py", "fast", HASH),)
    assert (manifest.package, manifest.files) == ("", ())


def test_a_file_of_a_function_is_below_the_folder_of_the_manifest(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(FUNCTION.replace("Linear.forward", "TABLE['sdpa'][-1]"))
    (asked,) = read(str(path)).requests()
    assert asked["file"] == str(tmp_path / "src" / "ops.py")
    assert (asked["path"], asked["keys"]) == (["TABLE"], ["sdpa", -1])


def test_functions_are_written_as_they_are_read(tmp_path: Path) -> None:
    made = Manifest("", "", (), (ManifestFunction('a.b:T["k"]', "x/y.py"),))
    write(str(tmp_path / "m.toml"), made)
    assert read(str(tmp_path / "m.toml")) == made


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("function = ", "funktion = ", r"unknown key 'funktion' in function.*function"),
        (":Linear", ".Linear", r"function 1:4: name .* must be MODULE:NAME"),
        ("Linear.forward", "Linear.", r"name .* must be MODULE:NAME"),
        ("Linear.forward", "T[key]", r"name .* must be MODULE:NAME"),
        ("Linear.forward", "Linear:forward", r"name .* must be MODULE:NAME"),
        (f'name = "{LINEAR}"', "", r"name is missing"),
        ('file = "src/ops.py"', "", r"file is missing"),
        ("src/ops.py", "/src/ops.py", r":5: file .* must be relative to the directory"),
        ("src/ops.py", "../ops.py", r"file .* must not have empty, \. or \.\. parts"),
        ('"fast"', '"fast()"', r"function 'fast\(\)': must be the qualified name"),
        (HASH, HASH[1:], r":7: sha256 .* must be 64 digits"),
        ("[[function]]", "[function]", r"function must be written as \[\[function\]\]"),
        ("[[function]]", f'[[function]]\nname = "{LINEAR}"\nfile = "a.py"\n[[function]]', "twice"),
        (
            "[[function]]",
            KEY.format("\"a:T['k']\"") + KEY.format("'a:T[\"k\"]'") + "[[function]]",
            "twice",
        ),
        (
            "[[function]]",
            f"{PATCHED}[[function]]",
            r"its module is the \[\[file\]\] 'torch/nn/modules/linear\.py' too",
        ),
    ],
)
def test_a_function_that_cannot_be_right_is_refused_with_the_place(
    tmp_path: Path, good: str, bad: str, message: str
) -> None:
    assert good in FUNCTION
    path = tmp_path / "manifest.toml"
    path.write_text(FUNCTION.replace(good, bad, 1))
    with pytest.raises(ConfigError, match=rf"manifest\.toml.*{message}"):
        read(str(path))


def test_a_bad_function_is_one_line_and_exit_code_2(project: Project) -> None:
    project.write("m.toml", FUNCTION.replace(":Linear", ".Linear"))
    for verb in (("live",), ("ranks", "."), ("run",)):
        done = project.run("verify", *verb, "--manifest", "m.toml", "--", "true")
        done = done if verb == ("run",) else project.run("verify", *verb, "--manifest", "m.toml")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "m.toml: function 1:4: name" in done.stderr
