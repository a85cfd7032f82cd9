"""What releases require of each other, as the shipped data have it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements, tables
from rocmlint.published.requirement_lines import (
    NAME,
    Facts,
    line_of,
    packed,
    releases_of,
    unpacked,
)
from tests.support.wheels import metadata_of

KNOWN = set(requirements.packages())


def torch_of(package: str, version: str, *extras: str) -> str | None:
    found = requirements.torch_requirement(package, Version(version), extras)
    return None if found is None else ",".join(sorted({*map(str, found)}))


@pytest.mark.parametrize(
    ("package", "version", "demanded"),
    [
        ("transformers", "4.51.3", ">=2.0"),
        ("transformers", "4.52.4", "<2.7,>=2.1"),
        ("transformers", "4.53.0", ">=2.1"),
        ("transformers", "5.14.1", ">=2.4"),
        ("transformers", "5.15.0", ">=2.5"),
        ("transformers", "5.20.0", ">=2.6"),
        ("diffusers", "0.26.3", "<2.2.0,>=1.4"),
        ("diffusers", "0.31.0", "<2.5.0,>=1.4"),
        ("diffusers", "0.38.0", ">=1.4"),
        ("diffusers", "0.39.0", ">=2.6"),
    ],
)
def test_the_extra_torch_tells_the_floor(package: str, version: str, demanded: str) -> None:
    assert torch_of(package, version, "torch") == demanded


def test_transformers_without_an_extra_requires_no_torch() -> None:
    assert torch_of("transformers", "5.23.0") is None


@pytest.mark.parametrize(
    ("package", "version", "demanded"),
    [
        ("accelerate", "1.2.1", ">=1.10.0"),
        ("accelerate", "1.3.0", ">=2.0.0"),
        ("peft", "0.21.2", ">=1.13.0"),
        ("bitsandbytes", "0.50.2", "<3,>=2.4"),
        ("vllm", "0.7.3", "==2.5.1"),
        ("vllm", "0.33.0", "==2.14.0"),
        ("xformers", "0.0.35", ">=2.10"),
        ("torchvision", "0.19.1", "==2.4.1"),
        ("facenet-pytorch", "2.6.0", "<2.3.0,>=2.2.0"),
        ("chatterbox-tts", "0.1.7", "==2.6.0"),
        ("fairchem-core", "2.24.0", "~=2.13.0"),
        ("realesrgan", "0.3.0", ">=1.7"),
    ],
)
def test_a_requirement_without_an_extra_always_counts(
    package: str, version: str, demanded: str
) -> None:
    assert torch_of(package, version) == demanded


def test_what_a_pinned_package_requires_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that asks for no torch, but for one release of xformers."""
    of = {
        "asks": (Requirement("xformers==0.0.28.post1"),),
        "xformers": requirements.requirements("xformers", Version("0.0.28.post1")),
    }
    monkeypatch.setattr(requirements, "requirements", lambda package, _: of[package])
    requirements._torch_requirement.cache_clear()
    assert torch_of("asks", "1.0") == "==2.4.1"


def test_what_adds_nothing_to_a_pin_is_not_told() -> None:
    """It pins torch, and compressed-tensors that is content with torch>=1.10.0."""
    required = requirements.requirements("vllm", Version("0.33.0")) or ()
    assert "compressed-tensors==0.17.0" in map(str, required)
    assert torch_of("vllm", "0.33.0") == "==2.14.0"


def test_a_package_that_only_gathers_others_demands_what_they_do() -> None:
    """Of autogluon, torch is named only by the packages that it pins."""
    required = requirements.requirements("autogluon", Version("1.6.3")) or ()
    assert "torch" not in {each.name for each in required}
    assert torch_of("autogluon", "1.6.3") == "<2.14,>=2.10"


def test_a_range_pins_nothing() -> None:
    assert requirements.pin(SpecifierSet("==2.4.*,>=2")) is None


def test_an_unknown_package_has_no_releases() -> None:
    assert requirements.releases("no-such-package") == ()


@pytest.mark.parametrize("version", ["4.9999", "5.0.0rc1"])
def test_of_an_unknown_release_nothing_is_said(version: str) -> None:
    assert requirements.requirements("transformers", Version(version)) is None
    assert requirements.requires_python("transformers", Version(version)) is None


def test_what_torch_an_unknown_release_requires_cannot_be_asked() -> None:
    with pytest.raises(KeyError, match=r"transformers 4\.9999"):
        requirements.torch_requirement("transformers", Version("4.9999"))


def test_a_build_counts_as_its_release() -> None:
    built, release = (Version(each) for each in ("2.4.1+rocm6.1", "2.4.1"))
    assert requirements.requirements("torch", built) == requirements.requirements("torch", release)


@pytest.mark.parametrize(
    ("package", "version", "python"),
    [("transformers", "5.20.0", "3.10"), ("transformers", "5.21.0", "3.11")],
)
def test_python_is_told(package: str, version: str, python: str) -> None:
    found = requirements.requires_python(package, Version(version))
    assert found is not None
    assert f"{python}.0" in found
    assert f"3.{int(python[2:]) - 1}.99" not in found


def test_the_newest_is_in_the_specifier() -> None:
    assert requirements.newest("transformers", SpecifierSet("<5.15")) == Version("5.14.1")


def test_the_newest_of_nothing_is_none() -> None:
    assert requirements.newest("transformers", SpecifierSet(">9000")) is None


@given(st.sampled_from(sorted(KNOWN)))
def test_releases_are_final_and_ascend(package: str) -> None:
    known = requirements.releases(package)
    assert list(known) == sorted(set(known))
    assert not any(each.is_prerelease or each.local for each in known)


@given(st.data())
def test_every_release_has_an_answer(data: st.DataObject) -> None:
    package = data.draw(st.sampled_from(sorted(KNOWN)))
    version = data.draw(st.sampled_from(requirements.releases(package)))
    required = requirements.requirements(package, version)
    python = requirements.requires_python(package, version)
    assert (required is None) == (python is None)
    assert {each.name for each in required or ()} <= KNOWN


def test_a_requirement_on_python_that_pip_ignores_excludes_none() -> None:
    assert requirements.requires_python("autogluon", Version("0.0.2")) == SpecifierSet()


@given(st.data())
def test_the_newest_is_never_a_yanked_one(data: st.DataObject) -> None:
    package = data.draw(st.sampled_from(sorted(KNOWN)))
    below = data.draw(st.sampled_from(requirements.releases(package)))
    newest = requirements.newest(package, SpecifierSet(f"<={below}"))
    assert newest is None or (newest <= below and not requirements.is_yanked(package, newest))


def test_markers_hold_as_on_linux() -> None:
    lines = (
        Requirement("torch>=2; sys_platform == 'linux'"),
        Requirement("triton; sys_platform == 'win32'"),
        Requirement("numpy; python_version < '3.10'"),
        Requirement("peft; extra == 'peft'"),
    )
    held = requirements.applicable(lines, python="3.9")
    assert [each.name for each in held] == ["torch", "numpy"]
    held = requirements.applicable(lines, {"peft"}, "3.12")
    assert [each.name for each in held] == ["torch", "peft"]


def test_a_look_up_loads_no_parser() -> None:
    program = (
        "import sys; from rocmlint.published.requirements import releases;"
        "releases('transformers'); print({'libcst', 'rocmlint.lint'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def test_the_day_of_the_newest_release_is_in_the_data() -> None:
    assert date.fromisoformat(requirements.AS_OF) >= date(2026, 11, 13)


@given(st.lists(st.sampled_from(["unknown", "", "peft", "peft numpy", "numpy"]), max_size=30))
def test_what_is_written_is_read(released: list[str]) -> None:
    """A line holds, for each release, what its metadata had."""
    facts = {
        f"1.{at}": Facts()
        if names == "unknown"
        else Facts(requires_dist=names.split(), requires_python=f">={at % 2}", is_yanked=at == 3)
        for at, names in enumerate(released)
    }
    line = line_of(facts, {"peft", "numpy"})
    assert line_of(releases_of(line), {"peft", "numpy"}) == line
    package = requirements._parsed(line)
    for at, names in enumerate(released):
        if names == "unknown":
            with pytest.raises(LookupError):
                package.at(Version(f"1.{at}"))
            continue
        assert package.at(Version(f"1.{at}")) == at
        has = [name for name, runs in package.requires.items() if requirements._covers(runs, at)]
        python = [each for each, runs in package.python.items() if requirements._covers(runs, at)]
        assert (has, python) == (sorted(names.split()), [f">={at % 2}"])


def test_every_shipped_line_is_written_as_it_is_read() -> None:
    path = Path(tables.SHIPPED) / NAME
    as_of, lines = unpacked(path.read_bytes())
    again = {name: line_of(releases_of(line), lines) for name, line in lines.items()}
    assert again == lines
    assert unpacked(packed(as_of, again)) == (as_of, lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pinned", ["accelerate==1.15.0", "peft==0.10.0", "trl==0.11.4", "diffusers==0.31.0"]
)
def test_the_data_are_what_the_wheel_says(pinned: str, tmp_path: Path) -> None:
    name, _, version = pinned.partition("==")
    metadata = metadata_of(pinned, tmp_path)
    said = [Requirement(each) for each in metadata.get_all("Requires-Dist", [])]
    for each in said:
        each.name = canonicalize_name(each.name)
    expected = {str(each) for each in said if each.name in KNOWN}
    found = requirements.requirements(name, Version(version))
    assert found is not None
    assert {str(each) for each in found} == expected
    assert requirements.requires_python(name, Version(version)) == SpecifierSet(
        metadata["Requires-Python"]
    )


@pytest.mark.parametrize(
    ("package", "version", "day"),
    [
        ("torch", "2.14.1", "2026-09-30"),
        ("torch", "2.9.1+rocm6.4", "2025-11-12"),
        ("vllm", "0.2.5", "2023-12-14"),
        ("torch", "1.4.0", "2020-01-15"),  # for Pythons that no longer get any
    ],
)
def test_when_a_release_came_out(package: str, version: str, day: str) -> None:
    assert str(requirements.published_on(package, Version(version))) == day


def test_when_an_unknown_release_came_out_is_unknown() -> None:
    assert requirements.published_on("torch", Version("99")) is None
    assert requirements.published_on("no-such-package", Version("1")) is None


def test_days_are_kept_as_differences() -> None:
    facts = {
        "1.0": Facts(uploaded="1970-01-11"),
        "1.1": Facts(),
        "2.0": Facts(uploaded="1970-01-06"),
    }
    line = line_of(facts, ())
    assert json.loads(line)["published"] == [10, 0, -5]
    assert releases_of(line)["2.0"] == Facts(uploaded="1970-01-06")
