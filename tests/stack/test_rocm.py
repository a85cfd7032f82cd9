"""Which ROCm is here, by which word, on machines that are whole, half removed, or broken."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.gpus.machine import Machine
from rocmlint.interpreter.ask import Interpreter
from rocmlint.stack.installed.distributions import read_environment
from rocmlint.stack.installed.rocm import Rocm, find_rocm
from rocmlint.stack.versions import major_minor
from tests.support.stacks import ROCMINFO, FakeEnvironment, FakeMachine, amd_smi

if TYPE_CHECKING:
    from pathlib import Path


def read(here: FakeMachine) -> Rocm:
    return find_rocm(here.machine)


def test_without_a_rocm_there_is_none(here: FakeMachine) -> None:
    assert read(here) == Rocm()


def test_the_version_file_is_read_without_its_build_number(here: FakeMachine) -> None:
    here.file("/opt/rocm-7.1.0/.info/version", "7.1.0-98\n")
    here.link("/opt/rocm", "rocm-7.1.0")
    rocm = read(here)
    assert [(each.source, each.version) for each in rocm.readings] == [
        ("/opt/rocm/.info/version", "7.1.0")
    ]
    assert rocm.release == "7.1"


def test_therocks_layout_is_read_through_its_link(here: FakeMachine) -> None:
    """TheRock#5475: there is no /opt/rocm/.info, but /opt/rocm/core -> core-7.14."""
    here.file("/opt/rocm/core-7.14/.info/version", "7.14.0\n")
    here.link("/opt/rocm/core", "core-7.14")
    rocm = read(here)
    assert [(each.source, each.version, each.problem) for each in rocm.readings] == [
        ("/opt/rocm/core/.info/version", "7.14.0", "")
    ]


def test_therocks_layout_is_read_without_its_link(here: FakeMachine) -> None:
    here.file("/opt/rocm/core-7.14/.info/version", "7.14.0\n")
    here.file("/opt/rocm/core-10.0/.info/version", "10.0.0\n")
    rocm = read(here)
    assert (rocm.version, rocm.problems) == ("10.0.0", ())
    assert [each.version for each in rocm.others] == ["7.14.0"]


def test_amd_smi_counts_first_and_who_says_otherwise_is_named(here: FakeMachine) -> None:
    here.program("amd-smi", "WARNING: no permission for some files\n" + amd_smi("7.0.2"))
    here.file("/opt/rocm/.info/version", "6.4.1-83\n")
    rocm = read(here)
    assert rocm.chosen is not None
    assert (rocm.version, rocm.chosen.source) == ("7.0.2", "amd-smi version")
    assert [(each.source, each.version) for each in rocm.others] == [
        ("/opt/rocm/.info/version", "6.4.1")
    ]


def test_amd_smi_that_does_not_know_leaves_it_to_the_files(here: FakeMachine) -> None:
    here.program("amd-smi", amd_smi("N/A"))
    here.file("/opt/rocm/.info/version", "6.4.1\n")
    rocm = read(here)
    assert rocm.version == "6.4.1"
    assert [each.problem for each in rocm.problems] == ["reports no ROCm version"]


def test_the_runtime_version_of_hsa_is_not_rocms(here: FakeMachine) -> None:
    here.program("rocminfo", ROCMINFO)
    assert read(here).version == ""


def test_a_rocm_that_a_variable_names_comes_before_opt(here: FakeMachine) -> None:
    here.file("/home/me/rocm/.info/version", "7.2.0\n")
    here.file("/opt/rocm/.info/version", "6.4.1\n")
    here.environment["ROCM_PATH"] = "/home/me/rocm"
    rocm = read(here)
    assert rocm.chosen is not None
    assert rocm.chosen.source == "$ROCM_PATH = /home/me/rocm/.info/version"


def test_a_module_of_a_cluster_comes_before_the_rocm_of_the_host(here: FakeMachine) -> None:
    here.program("amd-smi", amd_smi("6.0.3"))
    here.file("/sw/rocm/6.3.1/.info/version", "6.3.1-48\n")
    here.environment["ROCM_PATH"] = "/sw/rocm/6.3.1"
    assert read(here).version == "6.3.1"


def test_of_two_variables_the_one_that_torchs_extensions_read_first_counts(
    here: FakeMachine,
) -> None:
    here.file("/sw/6.3/.info/version", "6.3.1\n")
    here.file("/sw/6.4/.info/version", "6.4.2\n")
    here.environment |= {"ROCM_PATH": "/sw/6.3", "ROCM_HOME": "/sw/6.4"}
    assert read(here).version == "6.4.2"


def test_a_variable_that_names_opt_rocm_tells_it_once(here: FakeMachine) -> None:
    here.file("/opt/rocm/.info/version", "6.4.1\n")
    here.environment |= {"ROCM_PATH": "/opt/rocm", "ROCM_HOME": "/opt/rocm"}
    assert len(read(here).readings) == 1


def test_a_variable_that_names_nothing_is_told(here: FakeMachine) -> None:
    here.file("/opt/rocm/.info/version", "6.4.1\n")
    here.environment["ROCM_HOME"] = "/opt/rocm-5.7.0"
    rocm = read(here)
    assert rocm.version == "6.4.1"
    assert [each.source for each in rocm.problems] == ["$ROCM_HOME = /opt/rocm-5.7.0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty: ROCm is partly removed"),
        ("\n\n", "is empty: ROCm is partly removed"),
        ("unknown\n", "contains 'unknown', which is not a valid version"),
    ],
)
def test_a_version_file_without_a_version_is_told(here: FakeMachine, text: str, said: str) -> None:
    here.file("/opt/rocm/.info/version", text)
    rocm = read(here)
    assert (rocm.version, [each.problem for each in rocm.problems]) == ("", [said])


def test_a_file_in_the_place_of_rocm_is_told(here: FakeMachine) -> None:
    here.file("/opt/rocm", "")
    (reading,) = find_rocm(here.machine).readings
    assert (reading.source, reading.problem) == ("/opt/rocm", "cannot be read: Not a directory")


def test_an_answer_of_amd_smi_that_nests_too_deep_is_none(here: FakeMachine) -> None:
    here.program("amd-smi", "[" * 100_000)
    (reading,) = find_rocm(here.machine).readings
    assert reading.problem == "reports no ROCm version"


def test_a_link_to_a_removed_rocm_is_told(here: FakeMachine) -> None:
    here.link("/opt/rocm", "/etc/alternatives/rocm")
    (problem,) = read(here).problems
    assert problem.problem.startswith("points to /etc/alternatives/rocm, which does not exist")


def test_a_link_of_therock_to_a_removed_version_is_told(here: FakeMachine) -> None:
    here.file("/opt/rocm/bin/rocminfo", "")
    here.link("/opt/rocm/core", "core-7.14")
    (problem,) = read(here).problems
    assert (problem.source, problem.problem.split(",")[0]) == (
        "/opt/rocm/core",
        "points to core-7.14",
    )


def test_a_folder_without_a_version_is_told_and_taken_for_no_rocm(here: FakeMachine) -> None:
    """Gator takes it for ROCm 5.7.0."""
    here.file("/opt/rocm/lib/libamdhip64.so", "")
    rocm = read(here)
    assert (rocm.version, len(rocm.problems)) == ("", 1)


@pytest.mark.parametrize(
    ("package", "version", "read_as"),
    [
        ("rocm-core", "7.1.0.70100-20~22.04", "7.1.0"),
        ("rocm-core6.4.1", "6.4.1.60401-83~24.04", "6.4.1"),
        ("amdrocm-core7.13", "7.13.0~20260511-25648442805", "7.13.0"),
    ],
)
def test_debians_packages_tell_the_version(
    here: FakeMachine, package: str, version: str, read_as: str
) -> None:
    here.file(
        "/var/lib/dpkg/status",
        "Package: rocm-corelation\nStatus: install ok installed\nVersion: 1.0\n\n"
        f"Package: {package}\nStatus: install ok installed\nVersion: {version}\n",
    )
    assert [(each.source, each.version) for each in read(here).readings] == [
        (f"dpkg: {package}", read_as)
    ]


def test_a_package_of_which_only_the_configuration_is_left_is_no_rocm(here: FakeMachine) -> None:
    here.file(
        "/var/lib/dpkg/status",
        "Package: rocm-core\nStatus: deinstall ok config-files\nVersion: 6.4.1.60401-83\n",
    )
    rocm = read(here)
    assert rocm.version == ""
    assert [each.problem for each in rocm.problems] == ["is config-files: ROCm is partly removed"]


def test_rocms_own_wheels_tell_the_version(here: FakeMachine, tmp_path: Path) -> None:
    packages = FakeEnvironment(tmp_path / "venv")
    packages.install("rocm-sdk-core", "7.14.0a20260526")
    rocm = find_rocm(here.machine, read_environment(Interpreter(str(packages.python))))
    assert [(each.kind, each.version) for each in rocm.readings] == [("wheel", "7.14.0")]


def test_amd_smi_that_crashes_is_one_line_and_the_rest_is_answered(here: FakeMachine) -> None:
    here.program("amd-smi", does="kill -SEGV $$")
    here.file("/opt/rocm/.info/version", "6.4.1\n")
    rocm = read(here)
    assert rocm.version == "6.4.1"
    assert [each.problem for each in rocm.problems] == ["was killed by SIGSEGV"]


def test_amd_smi_that_fails_says_its_last_line(here: FakeMachine) -> None:
    here.program("amd-smi", "Traceback\nAmdSmiLibraryException: no driver\n", code=255)
    (problem,) = read(here).problems
    assert problem.problem == "failed with exit code 255: AmdSmiLibraryException: no driver"


def test_a_program_that_hangs_is_ended_with_all_that_it_started(here: FakeMachine) -> None:
    """What it started holds its output open, for which a plain time limit would wait."""
    started = here.root / "started"
    tells = f"echo $! > {started}.part; mv {started}.part {started}"
    here.program("amd-smi", does=f"sleep 600 & {tells}; sleep 600")
    here.file("/opt/rocm/.info/version", "6.4.1\n")
    for limit in (2, 20, 200):  # a busy machine may not have started it within the first
        rocm = find_rocm(Machine(str(here.root), here.environment, seconds=limit))
        assert rocm.version == "6.4.1"
        assert rocm.problems[0].problem.startswith(f"did not answer within {limit} s")
        if started.exists():
            break
    assert ends(int(started.read_text()))


def ends(process: int) -> bool:
    """Wait for what was killed: a busy machine takes a moment for that."""
    for _ in range(600):
        try:
            with open(f"/proc/{process}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_a_version_file_that_nobody_may_read_is_told(here: FakeMachine) -> None:
    # Root may read all files; a folder in a file's place may nobody.
    here.file("/opt/rocm/.info/version/file", "")
    (problem,) = read(here).problems
    assert problem.problem.startswith("cannot be read: ")


@pytest.mark.parametrize(
    ("version", "reduced"),
    [
        ("7.1.25424", "7.1"),
        ("6.1.40091-a8dbc0c19", "6.1"),
        ("7.1.0.70100-20", "7.1"),
        ("10.0.0", "10.0"),
        ("7.14", "7.14"),
        ("", ""),
        ("none", ""),
    ],
)
def test_a_version_is_reduced_to_what_wheels_are_named_by(version: str, reduced: str) -> None:
    assert major_minor(version) == reduced


@given(st.text(max_size=30))
def test_any_text_is_a_version_or_none(text: str) -> None:
    reduced = major_minor(text)
    assert not reduced or reduced.count(".") == 1


@pytest.mark.parametrize(
    ("origin", "version"),
    [
        ("https://repo.radeon.com/rocm/windows/rocm-rel-7.1.1/rocm_sdk_core-0.1.dev0.whl", "7.1.1"),
        ("https://a.invalid/rocm_sdk_core-0.1.dev0.whl", ""),
    ],
)
def test_wheels_without_a_version_of_rocm_are_valid_and_there(
    packages: FakeEnvironment, here: FakeMachine, origin: str, version: str
) -> None:
    place = packages.install("rocm-sdk-core", "0.1.dev0")
    (place / "direct_url.json").write_text(json.dumps({"url": origin, "archive_info": {}}))
    packages.torch("2.9.0+rocmsdk20251116", "7.1.25424")
    stack = packages.show(here)
    assert stack.rocm.problems == ()
    assert stack.rocm.without_torch.version == version
    assert "missing" not in "".join(each.reason for each in stack.verdicts)
