"""Where distributions, containers and tarballs put ROCm, and the version that is read there.

The layouts are those of Fedora's rocm-core.spec, Arch's PKGBUILD, nixpkgs, conda-forge's
hip-feedstock, Debian's packages, AMD's images, and TheRock's docs/packaging.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from rocmlint.gpus.machine import Machine
from rocmlint.stack.installed.rocm import find_rocm

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.stacks import FakeMachine

HEADER = """\
#ifndef _ROCM_VERSION_H_
#define _ROCM_VERSION_H_
#define ROCM_VERSION_MAJOR   {}
#define ROCM_VERSION_MINOR   {}
#define ROCM_VERSION_PATCH   {}
#define ROCM_BUILD_INFO "{}.{}.{}.0-9999-unknown"
#endif
"""
"""rocm_version.h, as rocm-core makes it."""
HASH = "0c5l8vm2yk3r9qf7a1b6dhx4n2zwpjsg"


def header(version: str) -> str:
    numbers = version.split(".")
    return HEADER.format(*numbers, *numbers)


def dpkg(**packages: str) -> str:
    """Return dpkg's list of installed packages; ``_`` stands for ``-`` in their names."""
    return "\n".join(
        f"Package: {name.replace('_', '-')}\nStatus: install ok installed\nVersion: {version}\n"
        for name, version in packages.items()
    )


class Layout(NamedTuple):
    name: str
    files: dict[str, str]
    source: str
    version: str
    links: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


LAYOUTS = [
    Layout(
        "fedora_with_headers",
        {"/usr/include/rocm-core/rocm_version.h": header("6.4.2"), "/usr/bin/hipcc": ""},
        "/usr/include/rocm-core/rocm_version.h",
        "6.4.2",
    ),
    Layout(
        "fedora_without_headers",
        {"/usr/lib64/librocm-core.so.1.0.60402": "", "/usr/lib64/libamdhip64.so.6": ""},
        "/usr/lib64/librocm-core.so.1.0.60402",
        "6.4.2",
    ),
    Layout(
        "fedora_39",
        {"/usr/include/rocm_version.h": header("6.0.0")},
        "/usr/include/rocm_version.h",
        "6.0.0",
    ),
    Layout(
        "fedora_compat_package",
        {"/usr/lib64/rocm/rocm-7.2/include/rocm-core/rocm_version.h": header("7.2.2")},
        "/usr/lib64/rocm/rocm-7.2/include/rocm-core/rocm_version.h",
        "7.2.2",
    ),
    Layout(
        "arch",
        {
            "/opt/rocm/.info/version": "7.1.0",
            "/opt/rocm/include/rocm-core/rocm_version.h": header("7.1.0"),
            "/var/lib/pacman/local/rocm-core-7.1.0-1/desc": "%NAME%\nrocm-core\n",
        },
        "/opt/rocm/.info/version",
        "7.1.0",
    ),
    Layout(
        "nixos_rocm_path",
        {f"/nix/store/{HASH}-rocm-core-6.3.3/lib/librocm-core.so.1": ""},
        f"$ROCM_PATH = /nix/store/{HASH}-rocm-core-6.3.3",
        "6.3.3",
        variables=(("ROCM_PATH", f"/nix/store/{HASH}-rocm-core-6.3.3"),),
    ),
    Layout(
        "nixos_opt_rocm_hip",
        {},
        f"/opt/rocm/hip -> /nix/store/{HASH}-clr-6.4.3",
        "6.4.3",
        links=(("/opt/rocm/hip", f"/nix/store/{HASH}-clr-6.4.3"),),
    ),
    Layout(
        "debian_trixie",
        {"/var/lib/dpkg/status": dpkg(libamdhip64_6="6.1.2-1", hipcc="6.1.2-1", bash="5.2")},
        "dpkg: libamdhip64-6",
        "6.1.2",
    ),
    Layout(
        "rocm_dev_ubuntu_image",
        {
            "/opt/rocm-7.0.2/.info/version": "7.0.2-56\n",
            "/var/lib/dpkg/status": dpkg(rocm_core="7.0.2.70002-56~24.04"),
        },
        "/opt/rocm/.info/version",
        "7.0.2",
        links=(("/opt/rocm", "rocm-7.0.2"),),
    ),
    Layout(
        "therock_deb_packages",
        {
            "/opt/rocm/core-7.14/.info/version": "7.14.0\n",
            "/var/lib/dpkg/status": dpkg(**{"amdrocm_base7.14": "7.14.0-1"}),
        },
        "/opt/rocm/core/.info/version",
        "7.14.0",
        links=(("/opt/rocm/core", "core-7.14"),),
    ),
    Layout(
        "therock_tarball",
        {
            "/home/me/therock/.info/version": "7.13.0\n",
            "/home/me/therock/.kpack/blas_lib_gfx1100.kpack": "",
        },
        "$ROCM_PATH = /home/me/therock/.info/version",
        "7.13.0",
        variables=(("ROCM_PATH", "/home/me/therock"),),
    ),
    Layout(
        "only_version_dev",
        {"/opt/rocm/.info/version-dev": "6.2.4-139\n"},
        "/opt/rocm/.info/version-dev",
        "6.2.4",
    ),
    Layout(
        "an_empty_version_file_beside_the_header",
        {
            "/opt/rocm/.info/version": "",
            "/opt/rocm/include/rocm-core/rocm_version.h": header("6.4.1"),
        },
        "/opt/rocm/include/rocm-core/rocm_version.h",
        "6.4.1",
    ),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=[each.name for each in LAYOUTS])
def test_the_version_of_each_layout_is_read_and_nothing_is_missed(
    here: FakeMachine, layout: Layout
) -> None:
    for path, text in layout.files.items():
        here.file(path, text)
    for path, to in layout.links:
        here.link(path, to)
    here.environment |= dict(layout.variables)
    rocm = find_rocm(here.machine)
    assert rocm.chosen is not None
    source = rocm.chosen.source.replace(str(here.root), "")
    assert (source, rocm.version, rocm.problems) == (layout.source, layout.version, ())


def test_a_conda_environment_names_the_packages_of_conda_forge(
    here: FakeMachine, tmp_path: Path
) -> None:
    from rocmlint.stack.installed.distributions import Environment  # noqa: PLC0415

    (tmp_path / "conda" / "conda-meta").mkdir(parents=True)
    (tmp_path / "conda" / "conda-meta" / "hip-runtime-amd-6.0.2-h59595ed_0.json").touch()
    (tmp_path / "conda" / "conda-meta" / "hippo-1.0-0.json").touch()
    environment = Environment("", "3.12", {}, (), {}, prefix=str(tmp_path / "conda"))
    (reading,) = find_rocm(here.machine, environment).readings
    assert (reading.source, reading.version) == ("conda: hip-runtime-amd", "6.0.2")


def test_rpm_is_asked_where_it_has_a_database(here: FakeMachine) -> None:
    here.program("rpm", "rocm-core 6.4.2\nrocm-core-devel 6.4.2\n")
    assert find_rocm(here.machine).readings == ()
    here.file("/usr/lib/sysimage/rpm/rpmdb.sqlite", "")
    (reading,) = find_rocm(here.machine).readings
    assert (reading.source, reading.kind, reading.version) == (
        "rpm: rocm-core",
        "system package",
        "6.4.2",
    )


def test_hipconfig_is_asked_where_nothing_else_tells_it(here: FakeMachine) -> None:
    here.program("hipconfig", "6.3.42134-0\n")
    (reading,) = find_rocm(here.machine).readings
    assert (reading.source, reading.version) == ("hipconfig --version", "6.3")


def test_the_tool_of_amds_wheels_is_asked_before_hipconfig(here: FakeMachine) -> None:
    here.program("rocm-sdk", "7.13.0\n")
    here.program("hipconfig", "7.2.53211\n")
    (reading,) = find_rocm(here.machine).readings
    assert (reading.source, reading.version) == ("rocm-sdk version", "7.13.0")


def test_a_hip_that_has_its_own_version_is_not_taken_for_rocm(here: FakeMachine) -> None:
    here.program("hipconfig", "7.15.26333-0\n")
    (reading,) = find_rocm(here.machine).readings
    assert reading.problem == "reports HIP '7.15.26333-0', which does not show the version of ROCm"


def test_a_program_in_the_folder_of_a_project_is_not_run(
    here: FakeMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hipconfig").write_text("#!/bin/sh\necho 6.3.42134-0\n")
    (tmp_path / "hipconfig").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    here.environment["PATH"] = f".{os.pathsep}{os.pathsep}/bin"
    assert find_rocm(here.machine).readings == ()


def test_a_program_runs_outside_the_folder_of_a_project(here: FakeMachine) -> None:
    here.program("hipconfig", does="case $(pwd) in */usr/bin) echo 6.3.42134-0;; esac")
    assert find_rocm(here.machine).version == "6.3"


def test_a_folder_with_rocm_but_without_a_version_is_not_called_half_removed(
    here: FakeMachine,
) -> None:
    here.file("/opt/rocm/bin/hipcc", "")
    (problem,) = find_rocm(here.machine).problems
    assert problem.problem == (
        "has parts of ROCm, but no file that names its version (.info/version)"
    )
    here.program("hipconfig", "6.3.42134-0\n")
    told = find_rocm(here.machine)
    assert (told.version, told.problems) == ("6.3", ())


def test_what_is_left_of_a_removed_package_is_not_told_beside_an_installed_one(
    here: FakeMachine,
) -> None:
    left = "\nPackage: rocm-core6.2.0\nStatus: deinstall ok config-files\nVersion: 6.2.0.60200-66\n"
    here.file("/var/lib/dpkg/status", dpkg(rocm_core="6.4.1.60401-83~24.04") + left)
    rocm = find_rocm(here.machine)
    assert (rocm.version, rocm.problems) == ("6.4.1", ())


@pytest.mark.parametrize(
    "path",
    [
        "/opt/rocm/.info/version",
        "/usr/include/rocm-core/rocm_version.h",
        "/var/lib/dpkg/status",
    ],
)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(here: FakeMachine, path: str) -> None:
    here.file(path, "").unlink()
    os.mkfifo(here.root / path.lstrip("/"))
    assert find_rocm(here.machine).version == ""


def test_a_header_of_any_bytes_names_no_version(here: FakeMachine) -> None:
    path = here.file("/usr/include/rocm_version.h", "")
    path.write_bytes(b"\xff\x00#define ROCM_VERSION_MAJOR 7\n#define ROCM_VERSION_MINOR \xb2\n")
    assert find_rocm(here.machine).readings == ()


@pytest.mark.parametrize("name", ["hipconfig", "rocm-sdk", "rpm"])
def test_a_program_that_hangs_ends_with_its_time(here: FakeMachine, name: str) -> None:
    here.program(name, does="sleep 600")
    here.file("/var/lib/rpm/Packages", "")
    started = time.monotonic()
    rocm = find_rocm(Machine(str(here.root), here.environment, seconds=1))
    assert [each.problem.partition(" (")[0] for each in rocm.problems] == [
        "did not answer within 1 s"
    ]
    assert time.monotonic() - started < 60


def test_a_folder_that_nobody_may_read_is_one_line(here: FakeMachine) -> None:
    folder = here.file("/opt/rocm/.info/version", "7.1.0").parents[1]
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("this user may read all folders")
        (problem,) = find_rocm(here.machine).problems
    finally:
        folder.chmod(stat.S_IRWXU)
    assert problem.problem == "cannot be read: Permission denied"
