"""``verify patches``: which version of the package the patch meets."""

from __future__ import annotations

import pytest

from tests.support.environments import Environment
from tests.support.patched import (
    FINDER,
    INSTALLED,
    NEW,
    OLD,
    checked,
    manifest_of,
    of_file,
    seen_in,
)

pytestmark = pytest.mark.slow  # builds an environment for each test


def test_the_version_is_that_of_the_copy_that_wins(environment: Environment) -> None:
    result = checked(environment)["tiny"]
    assert (result.verdict, result.strength, result.seen) == ("proven", "hashed", "1.0")


def test_another_version_is_contradicted(environment: Environment) -> None:
    result = checked(environment, manifest_of({"tiny/mod.py": NEW}, ">=2"))["tiny"]
    assert (result.verdict, result.seen) == ("contradicted", "1.0")
    assert "made for >=2, and imports take 1.0" in result.reason


def test_a_local_version_of_a_rocm_build_fits(environment: Environment) -> None:
    place = environment.site / "tiny-1.0.dist-info"
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0+rocm7.2\n")
    assert checked(environment)["tiny"].verdict == "proven"


def test_the_dist_info_whose_files_are_there_tells_the_version(environment: Environment) -> None:
    environment.install("tiny", "0.9", {"tiny/__init__.py": "old = True\n", "tiny/mod.py": OLD})
    environment.install("tiny", "1.0", INSTALLED)
    environment.write("tiny/mod.py", NEW)
    result = checked(environment)["tiny"]
    assert (result.verdict, result.seen) == ("proven", "1.0")
    assert len(seen_in(result, "distribution")) == 2


def test_a_dist_info_without_any_of_its_files_is_no_proof(environment: Environment) -> None:
    environment.write("tiny/__init__.py", "# of another version\n")
    result = checked(environment)["tiny"]
    assert (result.verdict, result.strength) == ("contradicted", "hashed")
    assert "differ from that version's wheel" in result.reason


def test_an_entry_without_a_hash_says_nothing(environment: Environment) -> None:
    record = environment.site / "tiny-1.0.dist-info" / "RECORD"
    rows = record.read_text().splitlines()
    record.write_text("".join(f"{each.partition(',')[0]},,\n" for each in rows))
    result = checked(environment)["tiny"]
    assert (result.verdict, result.strength, result.seen) == ("proven", "located", "1.0")


def test_a_dist_info_of_other_folders_does_not_tell_the_version(environment: Environment) -> None:
    environment.install("tiny", "1.0", {"other/__init__.py": ""})
    result = checked(environment)["tiny"]
    assert (result.verdict, result.seen) == ("unproven", "version unknown")


def test_a_manifest_for_any_version_asks_for_none(environment: Environment) -> None:
    assert [*checked(environment, manifest_of({"tiny/mod.py": NEW}, ""))] == ["tiny/mod.py"]


def test_a_dist_info_without_a_version_is_unproven(environment: Environment) -> None:
    (environment.site / "tiny-1.0.dist-info" / "METADATA").write_text("Name: tiny\n")
    assert checked(environment)["tiny"].verdict == "unproven"


@pytest.mark.parametrize("name", ["RECORD", "METADATA", "INSTALLER", "direct_url.json"])
def test_a_broken_dist_info_does_not_hide_the_files(environment: Environment, name: str) -> None:
    (environment.site / "tiny-1.0.dist-info" / name).write_bytes(b"\xff\xfe\x00")
    assert of_file(environment).verdict == "proven"


def test_a_finder_that_fails_for_the_package_is_told_for_its_version_too(
    environment: Environment,
) -> None:
    hook = FINDER.replace('"tiny.mod"', '"tiny"').format(body="raise RuntimeError('broken hook')")
    environment.write("hook.py", hook)
    environment.write("hook.pth", "import hook\n")
    verdicts = {each.verdict for each in checked(environment).values()}
    assert verdicts == {"unproven"}
