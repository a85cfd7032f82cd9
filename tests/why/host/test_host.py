"""Facts of a machine that is a directory: nothing of it runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.why.host.host import Host
from rocmlint.why.host.mounts import NETWORK, mount_of, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.stacks import FakeMachine

SHARED = "/dev/shm"  # noqa: S108 - its size is looked up
CONTAINERS: Mapping[str, tuple[Mapping[str, str], str, bool]] = {
    "none": ({}, "", False),
    "Docker": ({"/.dockerenv": ""}, "docker", False),
    "Podman": ({"/run/.containerenv": 'engine="podman"\n'}, "podman", False),
    "Podman without root": ({"/run/.containerenv": "rootless=1\n"}, "podman", True),
    "Apptainer": ({"/.singularity.d/env/01.sh": ""}, "apptainer", False),
    "Kubernetes": ({"/proc/1/cgroup": "0::/kubepods/besteffort/pod1\n"}, "kubernetes", False),
    "Docker without root": (
        {"/.dockerenv": "", "/proc/self/uid_map": "0 1000 1\n"},
        "docker",
        True,
    ),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_container_is_told_by_its_files(name: str, here: FakeMachine) -> None:
    files, kind, rootless = CONTAINERS[name]
    here.root.mkdir()
    for path, text in files.items():
        here.file(path, text)
    host = Host(here.machine)
    assert (host.container, host.is_rootless) == (kind, rootless)


def test_a_device_node_has_a_group_and_an_owner_who_may_open_it(here: FakeMachine) -> None:
    node = here.file("/dev/kfd", "")
    node.chmod(0o660)
    here.file("/etc/group", f"root:x:0:\nrender:x:{node.stat().st_gid}:ann\n")
    here.file("/dev/dri/renderD128", "")
    here.file("/dev/dri/card0", "")
    host = Host(here.machine)
    found = host.node("/dev/kfd")
    assert found is not None
    assert (found.group, found.gid, found.mode) == ("render", node.stat().st_gid, "-rw-rw----")
    assert found.may_open is os.access(node, os.R_OK | os.W_OK)
    assert [each.path for each in host.render_nodes] == ["/dev/dri/renderD128"]
    assert host.node("/dev/dxg") is None


def test_a_driver_may_be_loaded_missing_or_blacklisted(here: FakeMachine) -> None:
    here.root.mkdir()
    assert Host(here.machine).has_driver is None
    here.file("/sys/module/ext4/refcnt", "1")
    assert Host(here.machine).has_driver is False
    here.file("/sys/module/amdgpu/version", "6.16.13\n")
    here.file("/etc/modprobe.d/a.conf", "# blacklist amdgpu\n")
    host = Host(here.machine)
    assert (host.has_driver, host.driver, host.blacklisted) == (True, "6.16.13", "")
    here.file("/etc/modprobe.d/b.conf", "blacklist radeon\n  blacklist amdgpu\n")
    assert Host(here.machine).blacklisted == "/etc/modprobe.d/b.conf"


def test_rocm_and_the_system_are_read_from_their_files(here: FakeMachine) -> None:
    here.file("/opt/rocm/.info/version", "7.1.0-98\n")
    here.file("/opt/rocm/bin/rocminfo", "")
    here.file("/etc/os-release", 'ID=ubuntu\nVERSION_ID="22.04"\n')
    here.file("/proc/cmdline", "ro quiet iommu=pt\n")
    host = Host(here.machine)
    assert (host.rocm, host.system, host.iommu) == ("7.1.0", "ubuntu 22.04", "pt")
    assert host.rocm_program("rocminfo") == "/opt/rocm/bin/rocminfo"
    assert not host.has_program("rocminfo")


def test_a_program_of_another_name_is_no_repair_program(here: FakeMachine) -> None:
    here.program("rocm", "GNU hello 2.12\n")
    assert not Host(here.machine).repair_program
    here.program("rocm", "rocm 0.1.0-nightly\n")
    assert Host(here.machine).repair_program


def test_a_mount_is_that_of_the_longest_path(here: FakeMachine) -> None:
    lines = (
        "sda1 / ext4 rw 0 0",
        "nas:/h /home nfs4 rw 0 0",
        f"shm {SHARED} tmpfs size=65536k 0 0",
    )
    here.file("/proc/mounts", "\n".join(lines))
    machine = here.machine
    mount = mount_of(machine, "/home/ann/.config/miopen")
    assert mount is not None
    assert mount.kind in NETWORK
    other = mount_of(machine, "/homework")
    assert other is not None
    assert other.kind == "ext4"
    assert size_of(machine, SHARED) == 64 << 20
