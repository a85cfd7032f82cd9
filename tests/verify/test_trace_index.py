"""The index of kernels: which file has a kernel, in whatever archive, and what is remembered."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.verify.trace import attribution
from rocmlint.verify.trace import index as index_room
from rocmlint.verify.trace.index import build, without_parameters
from tests.support.hip_objects import kpack_archive, needs_compiler
from tests.support.traces import (
    AITER,
    SOURCES,
    TRITON,
    UNKNOWN,
    aks2,
    compiled,
    flat_zip,
    kernel_database,
    ran,
    with_kernels,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Compile a code object with the kernel ``attn_fwd``, as Triton compiles one."""
    path = tmp_path_factory.mktemp("image") / "attn_fwd.hsaco"
    return compiled(SOURCES["triton"], path, "gfx942").read_bytes()


IMAGES = "torch/lib/aotriton.images/amd-gfx942/flash/attn_fwd"


# Names


@needs_compiler
@pytest.mark.parametrize(
    "name",
    [
        "_ZN2at6native10add_kernelILi4EfEEviPT0_",
        "_ZN2at6native10add_kernelILi4EfEEviPT0_.kd",
        "void at::native::add_kernel<4, float>(int, float*)",
        "void at::native::add_kernel<4, float>(int, float*) [clone .kd]",
        "void at::native::add_kernel<4, float>",
    ],
)
def test_a_kernel_is_found_by_every_name_that_profilers_give_it(site: Path, name: str) -> None:
    (holder,) = build([str(site)]).holders(name)
    assert holder.path == f"{site}/torch/lib/libtorch_hip.so"
    assert holder.targets == ("gfx90a", "gfx942")


@needs_compiler
@pytest.mark.parametrize("name", ["add_kernel", "void at::native::add_kernel<8, float>", "", "(a"])
def test_another_kernel_is_not_taken_for_it(site: Path, name: str) -> None:
    assert build([str(site)]).holders(name) == ()


@pytest.mark.parametrize(
    ("readable", "without"),
    [
        ("void f<int>(int*, void (*)(int))", "void f<int>"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
        ("f", "f"),
        ("f)", "f)"),
    ],
)
def test_parameters_are_the_last_parentheses(readable: str, without: str) -> None:
    assert without_parameters(readable) == without


# Archives


@needs_compiler
def test_archives_of_aotriton_and_miopen_are_read(tmp_path: Path, image: bytes) -> None:
    (tmp_path / IMAGES).mkdir(parents=True)
    (tmp_path / IMAGES / "FONLY__1.aks2").write_bytes(aks2(b"", image, image))
    flat_zip(tmp_path / f"{IMAGES}.zip", {"F__1": aks2(image)})
    kernel_database(tmp_path / "gfx942.kdb", image)
    found = build([str(tmp_path)])
    assert not found.problems
    assert {holder.path for holder in found.holders("attn_fwd")} == {
        str(tmp_path / IMAGES / "FONLY__1.aks2"),
        str(tmp_path / f"{IMAGES}.zip"),
        str(tmp_path / "gfx942.kdb"),
    }
    assert {holder.targets for holder in found.holders("attn_fwd")} == {("gfx942",)}


@needs_compiler
def test_a_kernel_in_a_kpack_archive_belongs_to_the_library_it_was_moved_out_of(
    tmp_path: Path, image: bytes
) -> None:
    archive = kpack_archive({("lib/libMIOpen.so.1#0", "gfx942"): image})
    (tmp_path / "all_gfx942.kpack").write_bytes(archive)
    found = attribution.attribute(ran("attn_fwd"), build([str(tmp_path)]))
    assert attribution.expectation(found, "miopen").verdict == "proven"


@needs_compiler
def test_what_copies_memory_is_in_the_runtime(tmp_path: Path) -> None:
    source = 'const char *blit = "kernel void __amd_rocclr_fillBufferAligned(int) {}";'
    compiled(source, tmp_path / "libamdhip64.so.7", "gfx942", fat=True)
    found = attribution.attribute(ran("__amd_rocclr_fillBufferAligned"), build([str(tmp_path)]))
    (result,) = attribution.by_library(found)
    assert (result.subject, result.verdict) == ("the HIP runtime", "proven")


@needs_compiler
def test_all_kernels_of_an_affine_archive_are_read(
    tmp_path: Path, image: bytes, site: Path
) -> None:
    other = (site / "aiter_meta/hsa/gfx942/fmha_v3_fwd/fwd.co").read_bytes()
    path = tmp_path / "torch/lib/aotriton.images/amd-gfx942/flash/affine_kernels.zip"
    flat_zip(path, {"aiter_fwd": aks2(image, other)})
    assert set(build([str(tmp_path)]).names) == {"attn_fwd", AITER}


@needs_compiler
@pytest.mark.parametrize(
    "name", ["broken.aks2", "broken.kdb", "broken.ukdb", "aotriton.images/b.zip"]
)
@pytest.mark.parametrize("part", [0, 3, 40, 200])
def test_a_broken_archive_is_named_and_hides_no_other_file(
    tmp_path: Path, image: bytes, name: str, part: int
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".zip":
        flat_zip(path, {"F": aks2(image)})
    elif path.suffix == ".aks2":
        path.write_bytes(aks2(image))
    else:
        kernel_database(path, image)
    path.write_bytes(path.read_bytes()[:part])
    (tmp_path / "whole.hsaco").write_bytes(image)
    found = build([str(tmp_path)])
    assert set(found.problems) == {str(path)}
    assert [each.path for each in found.holders("attn_fwd")] == [str(tmp_path / "whole.hsaco")]


@needs_compiler
@given(st.data())
def test_an_archive_with_a_flipped_bit_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, image: bytes, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "flipped"
    path = folder / data.draw(st.sampled_from(("a.aks2", "aotriton.images/a.zip", "a.kdb")))
    shutil.rmtree(folder, ignore_errors=True)
    path.parent.mkdir(parents=True)
    if path.suffix == ".kdb":
        kernel_database(path, image)
    elif path.suffix == ".zip":
        flat_zip(path, {"F": aks2(image)})
    else:
        path.write_bytes(aks2(image))
    content = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(0, 8 * len(content) - 1), min_size=1, max_size=3)):
        content[at // 8] ^= 1 << at % 8
    path.write_bytes(content)
    found = build([str(folder)])
    assert list(found.files) == [str(path)]


@needs_compiler
def test_a_kernel_of_tritons_cache_belongs_to_whoever_wrote_it(
    tmp_path: Path, image: bytes
) -> None:
    cached = tmp_path / "cache/KQ7"
    cached.mkdir(parents=True)
    (cached / "attn_fwd.hsaco").write_bytes(image)
    (cached / "attn_fwd.json").write_text('{"target": {"backend": "hip", "arch": "gfx942"}}')
    (cached / "attn_fwd.ttir").write_text('#loc = loc("/e/site-packages/aiter/ops/mha.py":12:0)\n')
    found = attribution.attribute(ran(TRITON[0]), build([str(tmp_path)]))
    assert attribution.expectation(found, "aiter").verdict == "proven"
    assert attribution.expectation(found, "triton").verdict == "proven"


# The cache


@needs_compiler
def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build([str(site)], str(tmp_path))
    monkeypatch.setattr(index_room, "_read", lambda path: pytest.fail(f"{path} was read"))
    again = build([str(site)], str(tmp_path))
    assert again.names == first.names
    assert len(again.names) == 4


@needs_compiler
def test_a_changed_file_is_read_again(tmp_path: Path, image: bytes) -> None:
    cache, file = str(tmp_path / "cache"), tmp_path / "k/a.hsaco"
    file.parent.mkdir()
    file.write_bytes(image)
    assert build([str(file.parent)], cache).holders("attn_fwd")
    file.write_bytes(image.replace(b"attn_fwd", b"attn_bwd"))
    assert build([str(file.parent)], cache).holders("attn_bwd")


@needs_compiler
@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"version": 2, "files": 3}'])
def test_a_broken_cache_is_no_cache(tmp_path: Path, site: Path, data: bytes) -> None:
    build([str(site)], str(tmp_path))
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    assert len(build([str(site)], str(tmp_path)).names) == 4


@needs_compiler
def test_an_entry_of_the_cache_that_is_odd_is_read_anew(tmp_path: Path, site: Path) -> None:
    build([str(site)], str(tmp_path))
    (file,) = tmp_path.iterdir()
    stored = json.loads(file.read_text())
    stored["files"] = dict.fromkeys(stored["files"], 7)
    file.write_text(json.dumps(stored))
    assert len(build([str(site)], str(tmp_path)).names) == 4


@needs_compiler
def test_a_cache_that_cannot_be_kept_does_not_matter(tmp_path: Path, site: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert len(build([str(site)], str(tmp_path / "file")).names) == 4


def test_the_cache_lies_where_the_user_wants_it(project: Project) -> None:
    project.write("trace.json", json.dumps(with_kernels({"traceEvents": []}, UNKNOWN)))
    (project.root / "empty.co").write_bytes(b"")
    project.run("verify", "trace", "trace.json", ".", XDG_CACHE_HOME=str(project.root / "mine"))
    assert list((project.root / "mine/rocmlint/kernels").glob("*.json"))
