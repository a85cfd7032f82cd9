"""Repositories that bring a patch of an installed package, with and without it in place.

The truth of a case is what a program that imports the package gets, measured by running it.
"""

from __future__ import annotations

import json
import os
import py_compile
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.openpi import CHECK_LINE, DOCKERFILE, OVERLAY, PATCH, README, Openpi

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.verdicts import Judged

pytestmark = pytest.mark.slow

PATCHED = f"`transformers` is patched, as {CHECK_LINE} assumes"


@pytest.fixture
def openpi(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Openpi:
    return Openpi(project.root, tmp_path_factory.mktemp("site"))


def verify(project: Project, openpi: Openpi, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Verify the repository; give the exit code and the result on its check."""
    formatted = (*(arguments or (".",)), "--output-format", "json")
    done = project.run("verify", *formatted, PYTHONPATH=str(openpi.site))
    found = {each["claim"]: each for each in json.loads(done.stdout)["results"]}
    return done.returncode, found[PATCHED]


def right(it: Openpi) -> None:
    it.copy()


def right_with_a_readme(it: Openpi) -> None:
    it.copy()
    it.write("README.md", README)


def right_in_a_dockerfile(it: Openpi) -> None:
    it.copy()
    it.write("docker/serve.Dockerfile", DOCKERFILE)


def right_and_an_old_patch_beside(it: Openpi) -> None:
    it.copy()
    shutil.copytree(it.overlay, it.root / "patches/4.48/transformers_replace")
    it.write("patches/4.48/transformers_replace/models/gemma/modeling_gemma.py", "old = 1\n")

    it.write("README.md", README)


def right_and_notes_beside_that_nobody_copies(it: Openpi) -> None:
    it.copy()
    it.write(f"{OVERLAY}/README.md", "What is patched, and why.\n")


def right_and_a_copy_in_the_build_folder(it: Openpi) -> None:
    it.copy()
    shutil.copytree(it.overlay, it.root / "build/lib/openpi/transformers_replace")


def right_with_empty_inits_that_nobody_copies(it: Openpi) -> None:
    it.copy()
    (it.package / "__init__.py").write_text('__version__ = "4.53.2"\n')
    it.write(f"{OVERLAY}/models/__init__.py", "")
    (it.package / "models/__init__.py").write_text("from . import gemma\n")


def right_from_a_folder_that_is_a_package_too(it: Openpi) -> None:
    it.copy()
    it.write(f"{OVERLAY}/__init__.py", "")


def right_in_a_folder_with_the_packages_name(it: Openpi) -> None:
    it.copy()
    target = it.root / "overlay/transformers"
    target.parent.mkdir()
    it.overlay.rename(target)
    it.overlay = target


def stock(it: Openpi) -> None:
    it.write("README.md", README)


def one_folder_too_high(it: Openpi) -> None:
    it.copy(it.package.parent)


def one_folder_too_high_with_a_readme(it: Openpi) -> None:
    it.copy(it.package.parent)
    it.write("README.md", README)


def the_folder_itself(it: Openpi) -> None:
    it.copy(it.package / "transformers_replace")


def only_the_check(it: Openpi) -> None:
    shutil.copy(it.overlay / "models/siglip/check.py", it.package / "models/siglip/")


def one_file_differs(it: Openpi) -> None:
    it.copy()
    (it.package / "models/gemma/modeling_gemma.py").write_text("def forward():\n    return 'x'\n")


def one_file_differs_from_a_readme(it: Openpi) -> None:
    one_file_differs(it)
    it.write("README.md", README)


def one_file_is_missing(it: Openpi) -> None:
    it.copy()
    (it.package / "models/siglip/check.py").unlink()
    it.write("README.md", README)


def another_file_is_patched(it: Openpi) -> None:
    (it.package / "utils.py").write_text("patched = True\n")


def two_patches_and_none_whole(it: Openpi) -> None:
    right_and_an_old_patch_beside(it)
    (it.root / "README.md").unlink()
    (it.package / "models/siglip/modeling_siglip.py").write_text("def forward(): ...\n")


def the_old_patch_in_place(it: Openpi) -> None:
    right_and_an_old_patch_beside(it)
    it.copy_from("patches/4.48/transformers_replace")


def the_old_patch_in_place_and_nothing_copies_either(it: Openpi) -> None:
    the_old_patch_in_place(it)
    (it.root / "README.md").unlink()


def right_bytes_and_bytecode_of_other_source(it: Openpi) -> None:
    it.copy()
    file, when = it.package / "models/gemma/modeling_gemma.py", (1_700_000_000, 1_700_000_000)
    right = file.read_text()
    file.write_text(right.replace("patched", "another"))
    os.utime(file, when)
    py_compile.compile(str(file))
    file.write_text(right)
    os.utime(file, when)


def other_patches_of_the_same_files(it: Openpi) -> None:
    for file in it.package.glob("models/*/modeling_*.py"):
        file.write_text("def forward():\n    return 'of somebody else'\n")


def a_fork_of_the_package_in_the_repository(it: Openpi) -> None:
    shutil.rmtree(it.overlay)
    shutil.copytree(it.package, it.root / "src/transformers")
    it.write("src/transformers/models/gemma/modeling_gemma.py", "fork = 1\n")
    (it.package / "models/gemma/modeling_gemma.py").write_text("other = 1\n")


HEALTHY: list[Callable[[Openpi], None]] = [
    right,
    right_with_a_readme,
    right_in_a_dockerfile,
    right_and_an_old_patch_beside,
    right_and_notes_beside_that_nobody_copies,
    right_and_a_copy_in_the_build_folder,
    right_with_empty_inits_that_nobody_copies,
    right_from_a_folder_that_is_a_package_too,
    right_in_a_folder_with_the_packages_name,
]
BROKEN: list[tuple[Callable[[Openpi], None], str]] = [
    (stock, "contradicted"),
    (one_folder_too_high, "contradicted"),
    (one_folder_too_high_with_a_readme, "contradicted"),
    (the_folder_itself, "contradicted"),
    (only_the_check, "unproven"),
    (one_file_differs, "unproven"),
    (one_file_differs_from_a_readme, "contradicted"),
    (one_file_is_missing, "contradicted"),
    (another_file_is_patched, "contradicted"),
    (two_patches_and_none_whole, "unproven"),
    (the_old_patch_in_place, "contradicted"),
    (the_old_patch_in_place_and_nothing_copies_either, "unproven"),
    (right_bytes_and_bytecode_of_other_source, "contradicted"),
    (other_patches_of_the_same_files, "unproven"),
    (a_fork_of_the_package_in_the_repository, "unproven"),
]


@pytest.mark.verdict
@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case.__name__)
def test_a_patch_of_the_repository_that_is_in_place_is_proven_without_a_manifest(
    project: Project, openpi: Openpi, judged: Judged, case: Callable[[Openpi], None]
) -> None:
    case(openpi)
    assert openpi.is_patched()
    code, result = verify(project, openpi)
    judged("claims", "holds", result["verdict"])
    assert (code, result["verdict"], result["strength"]) == (0, "proven", "hashed")


@pytest.mark.verdict
@pytest.mark.parametrize(
    ("case", "verdict"), BROKEN, ids=lambda each: getattr(each, "__name__", "")
)
def test_a_patch_of_the_repository_that_is_not_in_place_is_never_proven(
    project: Project,
    openpi: Openpi,
    judged: Judged,
    case: Callable[[Openpi], None],
    verdict: str,
) -> None:
    case(openpi)
    assert not openpi.is_patched()
    _, result = verify(project, openpi)
    judged("claims", "broken", result["verdict"])
    assert result["verdict"] == verdict


def test_the_file_that_differs_is_named(project: Project, openpi: Openpi) -> None:
    one_file_differs(openpi)
    _, result = verify(project, openpi)
    assert "transformers/models/gemma/modeling_gemma.py" in result["reason"]
    assert result["action"].startswith(f"cp -r --remove-destination {OVERLAY}/. ")


def test_a_patch_one_folder_too_high_is_said_to_be_there(project: Project, openpi: Openpi) -> None:
    one_folder_too_high(openpi)
    assert "one directory too high" in verify(project, openpi)[1]["reason"]


def test_what_was_compared_and_why_is_evidence(project: Project, openpi: Openpi) -> None:
    right_with_a_readme(openpi)
    (compared,) = (
        each["value"]
        for each in verify(project, openpi)[1]["evidence"]
        if each["name"] == "compared with"
    )
    assert compared == f"{OVERLAY}, {len(PATCH)} files (README.md:3 copies it)"


def test_a_folder_that_only_may_be_the_patch_comes_with_the_whole_command(
    project: Project, openpi: Openpi
) -> None:
    a_fork_of_the_package_in_the_repository(openpi)
    action = verify(project, openpi)[1]["action"]
    command = "rocmlint verify manifest src/transformers --package transformers==4.53.2"
    assert action.startswith(f"{command} --output patches.toml")


def test_the_repository_is_found_from_a_file_in_it(project: Project, openpi: Openpi) -> None:
    right(openpi)
    code, _ = verify(project, openpi, CHECK_LINE.partition(":")[0])
    assert code == 0


def test_nothing_of_the_repository_runs(project: Project, openpi: Openpi, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    for path in (*PATCH, "models/gemma/conftest.py"):
        openpi.write(f"{OVERLAY}/{path}", f"open({str(marker)!r}, 'w')\n")
    verify(project, openpi)
    assert not marker.exists()
