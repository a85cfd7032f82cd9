"""Whose wheels of torch are taken for a ROCm, GPUs, a system and a Python, and why."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]
from packaging.requirements import Requirement
from packaging.version import Version

from rocmlint.cli.stack import chosen
from rocmlint.gpus.devices import Devices
from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.stack.installed.rocm import Rocm
from rocmlint.stack.wheels.install import COMPANIONS, Installation, NoWheelsError, Wanted
from rocmlint.stack.wheels.wheel_sources import choose, index, installation, newest_rocm
from tests.support.stacks import ROCMINFO

if TYPE_CHECKING:
    from rocmlint.stack.wheels.install import Source
    from tests.support.project import Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/stack.json").read_text())
MULTI_ARCH = "https://repo.amd.com/rocm/whl-multi-arch/"
STABLE = "https://stable.repo.amd.com/rocm/whl-next/"
PYTORCH = "https://download.pytorch.org/whl"
STRIX_HALO = ("gfx1151",)


def test_strix_halo_gets_torch_with_its_extra_from_amd() -> None:
    wanted = Wanted("7.14.0", torch="2.12", companions=COMPANIONS, gpus=STRIX_HALO)
    made = installation(wanted)
    assert made.command == (
        f"pip install --index-url {MULTI_ARCH} 'torch[device-gfx1151]==2.12.0+rocm7.14.0' "
        "'torchvision[device-gfx1151]==0.27.0+rocm7.14.0' torchaudio==2.11.0+rocm7.14.0"
    )
    assert dict(made.packages) == {
        "torch": "2.12.0",
        "torchvision": "0.27.0",
        "torchaudio": "2.11.0",
    }
    assert made.notes == ("PyTorch has no torch 2.12 for ROCm 7.14.0; using AMD's wheels",)


def test_windows_gets_amds_wheels_and_double_quotes() -> None:
    made = installation(Wanted("10.1", gpus=STRIX_HALO, system="windows"))
    assert made.command == (
        f'pip install --index-url {STABLE} "torch[device-gfx1151]==2.14.0+rocm10.1.0"'
    )
    assert made.notes == ("PyTorch has no ROCm wheels for Windows; using AMD's wheels",)


@pytest.mark.parametrize(
    "made",
    [
        installation(Wanted("7.14", nightly=True)),
        installation(Wanted("", nightly=True), source="amd"),
        installation(Wanted("7.1"), url="https://host/whl"),
    ],
    ids=["PyTorch's nightly builds", "AMD's nightly builds", "an index that is named"],
)
def test_a_command_without_a_version_says_that_an_installed_torch_stays(made: Installation) -> None:
    assert "no version is pinned" in " ".join(made.notes)
    assert not any("==" in each for each in made.words)


def test_a_program_in_quotes_needs_a_word_before_it_in_powershell() -> None:
    wanted = Wanted("10.1", gpus=STRIX_HALO, system="windows")
    made = installation(wanted, python=r"C:\Program Files\python.exe")
    assert made.command.startswith(r'"C:\Program Files\python.exe" -m pip install ')
    assert made.notes[-1] == "this is for cmd; in PowerShell, type & and a blank before it"


@pytest.mark.parametrize(
    ("rocm", "torch", "gpu", "source", "why"),
    [
        ("7.1", None, "gfx942", "pytorch", ""),
        ("7.1", "2.13", "gfx1103", "pytorch", ""),
        ("7.14", None, "gfx1151", "pytorch", ""),
        ("7.14", None, "gfx1036", "amd", "no code for gfx1036"),
        ("7.14", "2.12", "gfx942", "amd", "PyTorch has no torch 2.12 for ROCm 7.14"),
        ("10.0", None, "gfx942", "amd", "PyTorch has no torch for ROCm 10.0"),
        ("7.13", None, "gfx1103", "amd", "PyTorch has no torch for ROCm 7.13"),
    ],
)
def test_pytorchs_wheels_are_taken_where_they_serve(
    rocm: str, torch: str | None, gpu: str, source: Source, why: str
) -> None:
    found, notes = choose(Wanted(rocm, torch=torch, gpus=(gpu,)))
    assert found == source
    assert why in " ".join(notes)


def test_a_companion_that_pytorch_lacks_comes_from_amd() -> None:
    wanted = Wanted("7.14", companions=("torchaudio",), gpus=STRIX_HALO)
    assert choose(wanted) == (
        "amd",
        ("PyTorch has no torchaudio for torch 2.14.1 and ROCm 7.14; using AMD's wheels",),
    )


def test_an_integrated_gpu_beside_a_card_does_not_choose_the_wheels() -> None:
    here = Wanted("7.2", gpus=("gfx1100", "gfx1036"), every=False)
    made = installation(here)
    assert made.wheels.source == "pytorch"
    assert made.notes == ("torch 2.14.1 has no code for gfx1036: kernels fail there",)


def test_of_gpus_that_are_found_one_family_is_enough() -> None:
    here = Wanted("7.13", gpus=("gfx1100", "gfx1036", "gfx803"), every=False)
    made = installation(here)
    assert made.wheels.url == "https://repo.amd.com/rocm/whl/gfx110X-all/"
    assert "torch has no code for gfx1036 and gfx803: kernels fail there" in made.notes
    made = installation(replace(here, rocm="10.1"))
    assert made.wheels.extras == "device-gfx1100,device-gfx1036"


def test_the_full_version_of_a_build_says_whose_it_is() -> None:
    made = installation(Wanted("7.14", torch="2.12.0+rocm7.14.1", gpus=("gfx942",)))
    assert "torch[device-gfx942]==2.12.0+rocm7.14.1" in made.words


def test_several_gpus_are_several_extras() -> None:
    made = installation(Wanted("10.1", gpus=("gfx942", "gfx950")))
    assert "torch[device-gfx942,device-gfx950]==2.14.0+rocm10.1.0" in made.words


def test_without_a_gpu_the_code_for_all_is_installed_and_told() -> None:
    made = installation(Wanted("10.1"))
    assert "torch[device-all]==2.14.0+rocm10.1.0" in made.words
    assert any("--gpu gfx1151" in each for each in made.notes)


def test_a_gpu_that_amd_does_not_list_is_told() -> None:
    notes = installation(Wanted("10.1", gpus=("gfx1036",))).notes
    assert any("does not list gfx1036" in each for each in notes)


def test_the_previews_have_an_index_for_each_family() -> None:
    url = index(Wanted("7.13", gpus=("gfx1103", "gfx1100"))).url
    assert url == "https://repo.amd.com/rocm/whl/gfx110X-all/"
    with pytest.raises(NoWheelsError, match="are of different families"):
        index(Wanted("7.13", gpus=("gfx942", "gfx1100")))
    with pytest.raises(NoWheelsError, match="name your GPU with --gpu"):
        index(Wanted("7.13"))


def test_repo_radeon_has_files_with_the_commit_in_their_label() -> None:
    wanted = Wanted("7.2.1", companions=("torchvision",))
    words = installation(wanted, source="radeon").words
    assert words[2:] == (
        "--find-links",
        "https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2.1/",
        "torch==2.9.1+rocm7.2.1.lw.gitff65f5bc",
        "torchvision==0.24.0+rocm7.2.1.gitb919bd0c",
        "triton==3.5.1+rocm7.2.1.gita272dfa8",
    )


def test_amds_nightly_builds_are_not_pinned() -> None:
    wanted = Wanted("", nightly=True, gpus=("gfx906",), companions=COMPANIONS)
    assert installation(wanted, source="amd").words[2:] == (
        *("--pre", "--index-url", "https://nightly.repo.amd.com/rocm/whl-next/"),
        *("torch[device-gfx906]", "torchvision[device-gfx906]", "torchaudio"),
    )


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (Wanted("6.4", gpus=STRIX_HALO), r"2\.9\.1 for ROCm 6\.4 has no code for gfx1151"),
        (
            Wanted("6.4", gpus=STRIX_HALO),
            r"nearest for gfx1151: PyTorch's torch 2\.10 \(--rocm 7\.0",
        ),
        (Wanted("7.1", torch="2.11", gpus=("gfx1103",)), r"\(--rocm 7\.1 --torch 2\.13\)"),
        (Wanted("10.1", gpus=("gfx90c",)), "only AMD's nightly builds have code for gfx90c"),
        (Wanted("10.1", gpus=("gfx1013",)), r"similar GPUs that have one: gfx1010, gfx1011"),
        (Wanted("10.1", gpus=("gfx942",), system="windows"), "no wheel for Windows has code"),
        (Wanted("10.1", python="3.9"), r"no torch for Python 3\.9 .*newest row 2026-10-05"),
        (Wanted("10.1", torch="2.9"), r"no torch 2\.9 for ROCm .*it has 2\.12\.0"),
        (Wanted("99.9"), r"newest row 20\d\d-\d\d-\d\d.*AMD has no torch for ROCm 99\.9"),
    ],
)
def test_a_refusal_says_what_is_near_and_how_old_the_tables_are(wanted: Wanted, why: str) -> None:
    with pytest.raises(NoWheelsError, match=why):
        installation(wanted)


def test_a_python_without_pytorchs_wheel_gets_none() -> None:
    with pytest.raises(NoWheelsError, match=r"no torch 2\.3\.1 for Python 3\.13"):
        installation(Wanted("6.0", torch="2.3", python="3.13"), source="pytorch")


@pytest.mark.parametrize(
    ("gpu", "rocm"), [("gfx1151", "10.1.0"), ("gfx1036", "10.1.0"), ("gfx906", "7.2")]
)
def test_the_newest_rocm_is_one_whose_wheels_serve_the_gpu(gpu: str, rocm: str) -> None:
    assert newest_rocm(Wanted("", gpus=(gpu,))) == rocm


def test_the_newest_rocm_of_a_source_is_one_that_it_has_wheels_for_itself() -> None:
    wanted = Wanted("", gpus=("gfx1100",))
    assert newest_rocm(wanted, "pytorch") in rocm_wheels.rocm_versions()
    assert newest_rocm(wanted, "radeon") in {
        each.rocm for each in amd_wheels.builds() if each.index.kind == "files"
    }


def test_no_rocm_is_the_newest_for_a_gpu_without_wheels() -> None:
    with pytest.raises(NoWheelsError, match="no torch for gfx803 is known for Linux"):
        newest_rocm(Wanted("", gpus=("gfx803",)))


def test_no_rocm_is_the_newest_for_a_torch_that_there_is_none_of() -> None:
    wanted = Wanted("", torch="2.9.1", gpus=("gfx1201",), system="windows")
    near = r"AMD's torch 2\.14\.0 for ROCm 10\.1\.0 \(--rocm 10\.1\.0 --torch 2\.14\.0\)"
    with pytest.raises(NoWheelsError, match=rf"no torch 2\.9\.1 for gfx1201 is .*{near}"):
        newest_rocm(wanted)


def test_an_older_python_gets_the_newest_torch_that_has_wheels_for_it() -> None:
    wanted = Wanted("", gpus=("gfx1100",), python="3.9")
    made = installation(replace(wanted, rocm=newest_rocm(wanted)))
    assert made.words[2] == "torch==2.8.0+rocm6.4"
    assert made.notes == ("torch 2.9.1 has no wheels for Python 3.9",)


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        (Wanted("6.4", torch="2.9", gpus=("gfx1100",), python="3.9"), "(--rocm 6.4 --torch 2.8)"),
        (Wanted("6.4", gpus=STRIX_HALO, python="3.9"), "no code for gfx1151 (newest row 2026-"),
    ],
)
def test_what_is_near_has_wheels_for_the_python(wanted: Wanted, near: str) -> None:
    with pytest.raises(NoWheelsError) as refusal:
        installation(wanted)
    *_, last = str(refusal.value).split("; ")
    assert near in last


def test_files_for_one_python_say_so_where_none_is_named() -> None:
    wanted = Wanted("7.2.4")
    assert installation(wanted, source="radeon").notes[-1] == "they are for Python 3.12 only"
    for_3_12 = installation(replace(wanted, python="3.12"), source="radeon")
    assert not any("Python" in each for each in for_3_12.notes)


def test_an_index_that_is_named_need_not_be_known() -> None:
    wanted = Wanted("10.2", torch="2.15.0", companions=("torchvision",), gpus=STRIX_HALO)
    made = installation(wanted, url=STABLE)
    assert made.words[2:4] == (
        "torch[device-gfx1151]==2.15.0+rocm10.2.0",
        "torchvision[device-gfx1151]",
    )
    assert "was used as given, and not checked" in made.notes[0]


def test_pytorchs_labels_have_no_patch_release_and_its_torch_no_extras() -> None:
    wanted = Wanted("7.16", torch="2.16.0", gpus=STRIX_HALO)
    made = installation(wanted, url=f"{PYTORCH}/rocm7.16")
    assert made.words[2] == "torch==2.16.0+rocm7.16"


@pytest.mark.parametrize("build", amd_wheels.builds(), ids=lambda each: f"{each.torch}-{each.rocm}")
def test_each_build_of_the_table_has_a_command_that_names_it(build: amd_wheels.Build) -> None:
    gpus = build.listed[:1]
    source: Source = "radeon" if build.index.kind == "files" else "amd"
    torch = Version(build.torch).public
    wanted = Wanted(build.rocm, torch=torch, companions=COMPANIONS, gpus=gpus, system=build.system)
    made = installation(wanted, source=source)
    pins = [Requirement(each) for each in made.words if "==" in each]
    assert str(pins[0].specifier) == f"=={build.version('torch')}"
    assert made.wheels.rocm == build.rocm


def answer(project: Project, *words: str, **variables: str) -> dict[str, object]:
    done = project.run("stack", *words, "--output-format", "json", **variables)
    assert done.returncode == 0, done.stderr
    document: dict[str, object] = json.loads(done.stdout)
    validate(document, SCHEMA)
    return document


def test_the_gpu_of_this_machine_counts(project: Project) -> None:
    program = project.write("bin/rocminfo", f"#!/bin/sh\ncat <<'END'\n{ROCMINFO}END\n")
    program.chmod(0o755)
    path = f"{program.parent}:/usr/bin:/bin"
    made = answer(project, "install-command", "--rocm", "10.1", PATH=path)
    assert made["gpus"] == ["gfx942"]
    assert "torch[device-gfx942]==2.14.0+rocm10.1.0" in shlex.split(str(made["command"]))


def test_nightly_builds_for_windows_are_amds(project: Project) -> None:
    flags = ("--nightly", "--system", "windows", "--gpu", "gfx1201")
    made = answer(project, "install-command", *flags)
    assert (made["rocm"], made["packages"]) == ("", {"torch": ""})
    assert str(made["command"]).endswith('"torch[device-gfx1201]"')


def test_a_gpu_without_a_rocm_gets_the_newest_that_serves_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chosen, "find_devices", lambda: Devices(("gfx1151",), "rocminfo"))
    monkeypatch.setattr(chosen, "find_rocm", lambda **_: Rocm())
    flags = dict.fromkeys(("rocm", "gpu", "system", "source", "index_url"))
    wanted, notes = chosen.wanted_of(SimpleNamespace(**flags, nightly=False))
    assert (wanted.rocm, wanted.gpus) == ("10.1.0", ("gfx1151",))
    assert notes[0] == "no ROCm was found here"


@pytest.mark.parametrize(
    ("flags", "note"),
    [
        (
            ("--rocm", "10.1", "--gpu", "gfx1151"),
            "in this index the code for GPUs is an extra: install torch[device-gfx1151]",
        ),
        (
            ("--rocm", "7.2.4", "--source", "radeon"),
            "it is a page of files, not an index: pass it with --find-links, not --index-url",
        ),
    ],
)
def test_an_index_that_torch_alone_does_not_come_from_says_so(
    project: Project, flags: tuple[str, ...], note: str
) -> None:
    notes = answer(project, "index-url", *flags)["notes"]
    assert isinstance(notes, list)
    assert notes[-1] == note


def test_another_machine_has_another_rocm(project: Project) -> None:
    made = answer(project, "index-url", "--gpu", "gfx1151", "--gpu", "gfx950:xnack-")
    assert (made["rocm"], made["url"], made["source"]) == ("10.1.0", STABLE, "amd")
    assert made["gpus"] == ["gfx1151", "gfx950"]


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (("--gpu", "RX7900"), "'RX7900' is not a valid target"),
        (("--gpu", "gfx9999"), "gfx9999 is not a GPU"),
        (("--index-url", "repo.amd.com"), "'repo.amd.com' is not the URL of an index"),
        (("--index-url", "https://host/a b"), "'https://host/a b' is not the URL of an index"),
        (("--index-url", "https://host/\nwhl"), "is not the URL of an index"),
        (("--index-url", 'https://host/"whl'), "is not the URL of an index"),
        (("--index-url", "http://[host"), "'http://[host' is not the URL of an index"),
        (("--index-url", "https://host/`id`"), "is not the URL of an index"),
        (("--source", "pytorch", "--system", "windows"), "no torch is known for Windows"),
    ],
)
def test_what_is_not_valid_is_one_line(project: Project, flags: tuple[str, ...], why: str) -> None:
    done = project.run("stack", "index-url", *flags)
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
