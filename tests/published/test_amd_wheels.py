"""AMD's own wheels: the shipped table, and how it is built from pages of an index."""

from __future__ import annotations

import re
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from rocmlint.published import amd_wheels
from rocmlint.stack.indexes.amd_index import read_index, wheels
from rocmlint.stack.indexes.fetch import FetchError
from tools.build_amd_wheels import OUTPUT, main, recorded_facts, table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BUILDS = amd_wheels.builds()
RECORDED_FACTS = recorded_facts()
PACKAGES = ("jax", "onnxruntime", "vllm", "flash_attn", "amd-aiter", "bitsandbytes", "xformers")


def find(rocm: str, torch: str, system: str = "linux") -> amd_wheels.Build:
    return next(
        each for each in BUILDS if (each.rocm, each.torch, each.system) == (rocm, torch, system)
    )


def test_the_script_writes_the_table_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "amd_wheels.json"
    monkeypatch.setattr(sys, "argv", ["build", "--offline", "--output", str(written)])
    main()
    assert written.read_bytes() == OUTPUT.read_bytes()


def test_the_date_of_the_table_is_that_of_its_newest_build() -> None:
    assert amd_wheels.as_of() == max(each.date for each in BUILDS) == "2026-10-05"


def test_every_row_has_a_public_page_and_its_date() -> None:
    places = (place for package in PACKAGES for place in amd_wheels.elsewhere(package))
    sources = [
        *(source for build in BUILDS for source in build.sources),
        *(source for index in amd_wheels.indexes() for source in index.sources),
        *(source for place in places for source in place.sources),
    ]
    for source in sources:
        assert source.url.startswith("https://")
        assert date.fromisoformat(source.date) <= date.fromisoformat(amd_wheels.as_of())


@pytest.mark.parametrize(
    "build", BUILDS, ids=lambda each: f"{each.torch}-{each.rocm}-{each.system}"
)
def test_a_build_is_for_known_gpus_and_has_companions(build: amd_wheels.Build) -> None:
    assert build.python
    assert set(build.listed) <= set(build.devices)
    for gpu in build.devices:
        assert amd_wheels.device(gpu)
    for name in ("torch", "torchvision", "torchaudio"):
        assert Requirement(f"{name}=={build.version(name)}")
        assert f"rocm{build.rocm}" in build.version(name)


def test_torch_for_strix_halo() -> None:
    build = find("7.14.0", "2.12.0")
    assert build.version("torch") == "2.12.0+rocm7.14.0"
    assert build.version("torchvision") == "0.27.0+rocm7.14.0"
    assert build.version("torchaudio") == "2.11.0+rocm7.14.0"
    assert build.index.url == "https://repo.amd.com/rocm/whl-multi-arch/"
    assert "gfx1151" in build.devices


def test_windows_has_radeon_and_ryzen_only() -> None:
    windows = find("10.1.0", "2.14.0", "windows").devices
    assert {"gfx1036", "gfx1151", "gfx1201"} <= set(windows)
    assert not {"gfx90a", "gfx942", "gfx950"} & set(windows)


def test_a_gpu_of_the_index_need_not_be_listed_by_amd() -> None:
    build = find("10.1.0", "2.14.0")
    assert "gfx1036" in build.devices
    assert "gfx1036" not in build.listed


@pytest.mark.parametrize(
    ("gfx", "family"),
    [
        ("gfx942", "gfx94X-dcgpu"),
        ("gfx942:sramecc+:xnack-", "gfx94X-dcgpu"),
        ("gfx1103", "gfx110X-all"),
        ("gfx1151", "gfx1151"),
        ("gfx1201", "gfx120X-all"),
        ("gfx803", ""),
        ("", ""),
    ],
)
def test_the_family_of_a_gpu(gfx: str, family: str) -> None:
    assert amd_wheels.family_of(gfx) == family


@pytest.mark.parametrize(
    ("family", "gpus"),
    [
        ("gfx94x-dcgpu", "gfx942"),
        ("gfx110X_all", "gfx1100 gfx1101 gfx1102 gfx1103"),
        ("gfx110X-dgpu", "gfx1100 gfx1101 gfx1102"),
        ("gfx90X-dcgpu", "gfx906 gfx908 gfx90a"),
        ("gfx1151", "gfx1151"),
        ("custom", ""),
    ],
)
def test_the_gpus_of_a_family(family: str, gpus: str) -> None:
    assert " ".join(amd_wheels.members(family)) == gpus


def test_extras_name_each_gpu_once() -> None:
    gpus = ("gfx942:xnack-", "gfx942:xnack+", "gfx950")
    assert amd_wheels.extras(gpus) == "device-gfx942,device-gfx950"


def test_jax_needs_a_plugin_of_its_rocm() -> None:
    jax = amd_wheels.elsewhere("jax", "7.14.1")
    assert [each.rocm for each in jax] == [("7.14",)]
    assert "rocm[libraries,device-gfx942]==7.14.0" in jax[0].commands_for("gfx942")[0]
    assert "jax_rocm7_plugin==0.10.0+rocm7.14.0" in jax[0].commands[1]


def test_each_command_is_one_of_an_installer() -> None:
    for package in PACKAGES:
        for place in amd_wheels.elsewhere(package):
            for command in place.commands_for("gfx942"):
                assert re.match(r"(?:uv )?pip install ", command)
                assert "{" not in command


def test_what_is_nowhere() -> None:
    assert amd_wheels.elsewhere("numpy") == ()
    assert amd_wheels.elsewhere("jax", "6.0") == ()


# Pages as an index gives them (PEP 503): a link for each project, and for each of its files.
ROOT = "https://index.example/whl/"
NAMES = (
    *("torch", "torchvision", "torchaudio", "numpy"),
    *("amd-torch-device-gfx942", "amd-torch-device-gfx110x"),
)
FILES = {
    "torch": [
        "torch-2.14.0%2Brocm10.1.0-cp312-cp312-linux_x86_64.whl",
        "torch-2.14.0%2Brocm10.1.0-cp314-cp314-linux_x86_64.whl",
        "torch-2.14.0%2Brocm10.1.0-cp314-cp314t-linux_x86_64.whl",
        "torch-2.14.0%2Brocm10.1.0-cp312-cp312-win_amd64.whl",
        "torch-2.15.0a0%2Brocm10.2.0a20261001-cp312-cp312-linux_x86_64.whl",
        "torch-2.14.0.tar.gz",
    ],
    "torchvision": [
        "torchvision-0.28.0%2Brocm10.1.0-cp312-cp312-linux_x86_64.whl",
        "torchvision-0.29.0%2Brocm10.1.0-cp312-cp312-linux_x86_64.whl",
        "torchvision-0.29.0%2Brocm10.1.0-cp312-cp312-win_amd64.whl",
    ],
    "torchaudio": [
        "torchaudio-2.11.0.3%2Brocm10.1.0-cp312-cp312-linux_x86_64.whl",
        "torchaudio-2.11.0.4%2Brocm10.1.0-cp312-cp312-linux_x86_64.whl",
    ],
}


def page(names: Iterable[str]) -> str:
    links = "\n".join(f'<a href="{each}">{each}</a><br/>' for each in names)
    return f"<!DOCTYPE html>\n<html><body>\n{links}\n</body></html>"


def fetch(url: str) -> str:
    if url == ROOT:
        return page([f"/whl/{each}/" for each in NAMES])
    return page([f"../../{each}#sha256=0f" for each in FILES[url.split("/")[-2]]])


def test_only_released_wheels_of_a_cpython_count() -> None:
    found = set(wheels(fetch(f"{ROOT}torch/"), f"{ROOT}torch/", "torch"))
    assert found == {
        ("10.1.0", "2.14.0", "linux", "3.12"),
        ("10.1.0", "2.14.0", "linux", "3.14"),
        ("10.1.0", "2.14.0", "windows", "3.12"),
    }


def test_an_index_is_read() -> None:
    devices, (linux, windows) = read_index(ROOT, fetch, [])
    assert devices == ["gfx942"]
    assert (linux["torchvision"], linux["torchaudio"], linux["python"]) == (
        "0.29.0",
        "2.11.0.4",
        "3.12 3.14",
    )
    assert (windows["torchvision"], windows["torchaudio"]) == ("0.29.0", "")


def test_the_torchaudio_that_is_recorded_for_a_torch_is_kept() -> None:
    old = {"rocm": "10.1.0", "torch": "2.14.0", "system": "linux"}
    recorded = [{**old, "torchaudio": "2.11.0.3", "listed": "gfx942"}]
    _, (linux, _) = read_index(ROOT, fetch, recorded)
    assert (linux["torchaudio"], linux["listed"]) == ("2.11.0.3", "gfx942")


def test_what_an_index_has_takes_the_place_of_what_is_recorded() -> None:
    def fetch_both(url: str) -> str:
        return fetch(ROOT + url.rpartition("whl-next/")[2].rpartition("whl-multi-arch/")[2])

    made = table(RECORDED_FACTS, fetch_both, "2026-11-24")
    stable = [each for each in made["builds"] if each["index"] == "stable"]
    assert {each["torch"] for each in stable} == {"2.14.0"}
    assert made["as_of"] == "2026-11-24"
    assert made["sources"][stable[0]["sources"][0]] == {
        "url": "https://stable.repo.amd.com/rocm/whl-next/",
        "date": "2026-11-24",
    }


def test_an_index_that_cannot_be_reached_leaves_the_recorded_facts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def unreachable(_: str) -> str:
        message = "no route to host"
        raise OSError(message)

    assert table(RECORDED_FACTS, unreachable, "2026-11-24") == table(RECORDED_FACTS, None, "")
    assert "no route to host; the recorded facts are used" in capsys.readouterr().err


def test_a_page_without_links_is_not_an_index() -> None:
    with pytest.raises(OSError, match="not an index"):
        read_index(ROOT, lambda _: "<html>sign in</html>", [])


@pytest.mark.parametrize(
    "href",
    [
        "amd-torch-device-gfx942/",
        "./amd-torch-device-gfx942",
        "../whl/amd-torch-device-gfx942/",
        "https://index.example/whl/amd-torch-device-gfx942/",
        "//index.example/whl/amd-torch-device-gfx942/",
        "amd%2Dtorch%2Ddevice%2Dgfx942/",
        "AMD_Torch.Device-GFX942/#top",
    ],
)
def test_a_link_to_a_device_package_is_read_however_it_is_written(href: str) -> None:
    def here(url: str) -> str:
        return page([href, href]) if url == ROOT else fetch(url)

    assert read_index(ROOT, here, [])[0] == ["gfx942"]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="https://other.example/whl/amd-torch-device-gfx90a/">x</a>',
        '<a href="javascript:amd-torch-device-gfx90a/">x</a>',
        '<a href="#amd-torch-device-gfx90a">x</a>',
        '<a href="?C=amd-torch-device-gfx90a/">x</a>',
        '<a href="http://[/amd-torch-device-gfx90a/">x</a>',
        '<a href="x%2Famd-torch-device-gfx90a/">x</a>',
        '<a href="../">x</a>',
        '<a name="amd-torch-device-gfx90a/">amd-torch-device-gfx90a/</a>',
        "<a href>amd-torch-device-gfx90a</a>",
    ],
)
def test_other_links_are_passed_over(link: str) -> None:
    def here(url: str) -> str:
        return f"{link}{fetch(url)}{link}"

    assert read_index(ROOT, here, []) == read_index(ROOT, fetch, [])


def test_a_file_can_be_on_another_server() -> None:
    name = "Torch-2.14.0%2Brocm10.1.0-cp312-cp312-linux_x86_64.whl"
    links = page([f"https://files.example/{name}", f"javascript:/{name}", f"mailto:{name}"])
    assert len([*wheels(links, f"{ROOT}torch/", "torch")]) == 1


def test_an_index_with_very_many_builds_is_refused_at_once() -> None:
    names = (f"torch-2.{n}.0+rocm10.1.0-cp312-cp312-linux_x86_64.whl" for n in range(2_000))
    many = page(names)
    with pytest.raises(FetchError, match="torch/ lists more than 1000 builds"):
        read_index(ROOT, lambda url: fetch(url) if url == ROOT else many, [])
