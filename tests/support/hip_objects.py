"""Files with real device code for tests: compiled by clang where it is there, packed by hand."""

from __future__ import annotations

import struct
import subprocess
import zlib
from hashlib import md5
from typing import TYPE_CHECKING

import pytest
import zstandard

from rocmlint.verify.code_objects.file_errors import extra
from tests.support.tools import program

if TYPE_CHECKING:
    from pathlib import Path

msgpack = extra("msgpack")  # it has no types to import

SOURCE = """\
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
__attribute__((global)) void NAME(float *values) { values[0] += 1; }
"""


needs_compiler = pytest.mark.needs_compiler
"""On a test that compiles without a fixture of tests/verify/conftest.py, which marks those."""


def run(*command: str) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not ended.returncode, ended.stderr


class Compiler:
    """Compiles one small kernel, ``add_one``, into libraries and loose files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def library(self, name: str, *targets: str, flags: tuple[str, ...] = ()) -> Path:
        """Link a library with a fat binary for the targets."""
        return self._compile(name, targets, ("-fPIC", "-shared", "-nostdlib", *flags))

    def library_of_two(self, name: str, first: str, second: str) -> Path:
        """Link a library of two sources, each compiled for a target of its own."""
        objects = [
            str(self._compile(f"{name}.{each}.o", (each,), ("-fPIC", "-c"), kernel=f"on_{each}"))
            for each in (first, second)
        ]
        path = self.folder / name
        run(program("clang++"), "-shared", "-nostdlib", *_LINK, *objects, "-o", str(path))
        return path

    def loose(self, name: str, target: str, flags: tuple[str, ...] = ()) -> Path:
        """Compile for one target, into an ELF by itself."""
        alone = ("--cuda-device-only", "--no-gpu-bundle-output", *flags)
        return self._compile(name, (target,), alone)

    def host_only(self, name: str, *flags: str) -> Path:
        """Link a library without device code."""
        source = self.folder / f"{name}.c"
        source.write_text("int f(void) { return 0; }\n")
        path = self.folder / name
        flags = ("-fPIC", "-shared", "-nostdlib", *_LINK, *flags)
        run(program("clang"), *flags, str(source), "-o", str(path))
        return path

    def _compile(
        self, name: str, targets: tuple[str, ...], flags: tuple[str, ...], kernel: str = "add_one"
    ) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        source = self.folder / f"{kernel}.hip"
        source.write_text(SOURCE.replace("NAME", kernel.replace(":", "_").replace("+", "_on")))
        architectures = [f"--offload-arch={each}" for each in targets]
        always = ("-x", "hip", "-nogpulib", "-nogpuinc", "-O1", *_LINK)
        run(program("clang++"), *always, *flags, *architectures, str(source), "-o", str(path))
        return path


_LINK = ("-fuse-ld=lld", "-Wno-unused-command-line-argument")
GENERIC = ("-mcode-object-version=6", "-Wno-everything")
COMPRESSED = ("--offload-compress",)


def unbundled(bundle: Path, target: str) -> bytes:
    """Take the code for a target out of a bundle with LLVM's own tool."""
    out = bundle.with_suffix(f".{target}.elf")
    entry = f"hipv4-amdgcn-amd-amdhsa--{target}"
    what = ("--unbundle", "--type=o", f"--targets={entry}", f"--input={bundle}", f"--output={out}")
    run(program("clang-offload-bundler"), *what)
    return out.read_bytes()


def section_of(library: Path, name: str) -> bytes:
    out = library.with_suffix(".section")
    run(program("llvm-objcopy"), f"--dump-section={name}={out}", str(library), "/dev/null")
    return out.read_bytes()


def with_sections(library: Path, name: str, **contents: bytes) -> Path:
    """Copy a library with more sections, or with other content of some; _ stands for a dot."""
    path = library.with_name(name)
    changes = []
    for key, content in contents.items():
        section = key.replace("_", ".", 1)
        file = library.with_name(f"{name}.{key}")
        file.write_bytes(content)
        is_there = b"\0" + section.encode() + b"\0" in library.read_bytes()
        changes.append(f"--{'update' if is_there else 'add'}-section={section}={file}")
    run(program("llvm-objcopy"), *changes, str(library), str(path))
    return path


def bundle(codes: dict[str, bytes], kind: str = "hipv4-amdgcn-amd-amdhsa--") -> bytes:
    """Write an offload bundle; a target of SPIR-V must come with its whole entry id."""
    codes = {"host-x86_64-unknown-linux--": b""} | {
        each if "-amdhsa-" in each else kind + each: code for each, code in codes.items()
    }
    head = 24 + 8 + sum(24 + len(each) for each in codes)
    table, body, offset = b"", b"", -(-head // 4096) * 4096
    body = bytes(offset - head)
    for entry, code in codes.items():
        table += struct.pack("<QQQ", offset, len(code), len(entry)) + entry.encode()
        body += code + bytes(-len(code) % 4096)
        offset += len(code) + -len(code) % 4096
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(codes)) + table + body


def compressed(plain: bytes, version: int, method: str) -> bytes:
    """Write a compressed offload bundle."""
    packed = zlib.compress(plain) if method == "zlib" else zstandard.compress(plain)
    check = struct.unpack("<Q", md5(plain, usedforsecurity=False).digest()[:8])[0]
    shape = _SHAPES[version]
    total = 8 + struct.calcsize(shape) + len(packed)
    sizes = (len(plain), check) if version == 1 else (total, len(plain), check)
    head = struct.pack("<4sHH", b"CCOB", version, ("zlib", "zstd").index(method))
    return head + struct.pack(shape, *sizes) + packed


def decoded(packed: bytes, version: int, method: str) -> bytes:
    """Decode what :func:`compressed` wrote, without any check of size or hash."""
    body = packed[8 + struct.calcsize(_SHAPES[version]) :]
    if method == "zlib":
        return zlib.decompressobj().decompress(body)
    return zstandard.ZstdDecompressor().decompressobj().decompress(body)


_SHAPES = {1: "<IQ", 2: "<IIQ", 3: "<QQQ"}


def kpack_archive(codes: dict[tuple[str, str], bytes], *, plain: bool = False) -> bytes:
    """Write a kpack archive of code objects by name and target."""
    table: dict[str, object] = {"gfx_arches": sorted({target for _, target in codes})}
    contents: dict[str, dict[str, object]] = {}
    for ordinal, ((name, target), code) in enumerate(codes.items()):
        entry = {"type": "hsaco", "ordinal": ordinal, "original_size": len(code)}
        contents.setdefault(name, {})[target] = entry
    if plain:
        offsets = [64 + sum(map(len, list(codes.values())[:each])) for each in range(len(codes))]
        table["compression_scheme"] = "none"
        table["blobs"] = [
            {"offset": offset, "size": len(code)}
            for offset, code in zip(offsets, codes.values(), strict=True)
        ]
        body = b"".join(codes.values())
    else:
        frames = [zstandard.compress(code) for code in codes.values()]
        body = struct.pack("<I", len(frames))
        body += b"".join(struct.pack("<I", len(each)) + each for each in frames)
        table |= {
            "compression_scheme": "zstd-per-kernel",
            "zstd_offset": 64,
            "zstd_size": len(body),
        }
    head = struct.pack("<4sIQ", b"KPAK", 1, 64 + len(body)) + bytes(48)
    return head + body + bytes(msgpack.packb({**table, "toc": contents}))


def with_kpack_reference(library: Path, name: str, *paths: str, kernel: str = "lib/a.so") -> Path:
    """Copy a library as kpack leaves it: its code is elsewhere, and a marker says where."""
    marker = msgpack.packb({"kernel_name": kernel, "kpack_search_paths": list(paths)})
    count = len(section_of(library, ".hipFatBinSegment")) // 24
    wrappers = b"".join(struct.pack("<4sIQII", b"HIPK", 1, 0, each, 0) for each in range(count))
    return with_sections(
        library,
        name,
        _rocm_kpack_ref=marker,
        _hipFatBinSegment=wrappers,
        _hip_fatbin=bytes(len(section_of(library, ".hip_fatbin"))),
    )
