"""Traces and device code for tests, in the forms that profilers and installations have.

There is no GPU to profile: the operators are of a real trace of torch.profiler on the CPU, and the
kernels are added as kineto writes them on ROCm (libkineto/src/output_json.cpp and
RocprofActivity_inl.h of pytorch/kineto 114171d: name demangled, times in microseconds). The code
objects that hold the kernels are compiled for real.
"""

from __future__ import annotations

import bz2
import json
import lzma
import sqlite3
import struct
import subprocess
import sys
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

from rocmlint.verify.trace.trace_files import RanKernel, Trace
from tests.support.hip_objects import run
from tests.support.tools import program

if TYPE_CHECKING:
    from pathlib import Path

AITER = "_ZN5aiter26fmha_fwd_hd128_bf16_causalE"
SOURCES = {
    "aiter": f'extern "C" __attribute__((global)) void {AITER}(float *values) {{ *values += 1; }}',
    "torch": """
namespace at { namespace native {
template <int width, typename Number>
__attribute__((global)) void add_kernel(int count, Number *values) { *values += count; }
template __attribute__((global)) void add_kernel<4, float>(int, float *);
} }
namespace ck_tile {
template <int block> __attribute__((global)) void kentry(float *values) { *values += block; }
template __attribute__((global)) void kentry<256>(float *);
}""",
    "tensile": 'extern "C" __attribute__((global)) void Cijk_Ailk_Bljk_BBS_BH_MT64x64x32'
    "(float *values) { *values += 1; }",
    "triton": 'extern "C" __attribute__((global)) void attn_fwd(float *values) { *values += 1; }',
}
"""Kernels as the libraries have them; those of hipBLASLt and Triton are C symbols."""

ATTENTION = ("aiter::fmha_fwd_hd128_bf16_causal", 300.0)
ADD = ("void at::native::add_kernel<4, float>(int, float*)", 100.0)
CK = ("void ck_tile::kentry<256>(float*)", 50.0)
GEMM = ("Cijk_Ailk_Bljk_BBS_BH_MT64x64x32", 500.0)
TRITON = ("attn_fwd", 40.0)
UNKNOWN = ("a_kernel_of_nobody", 10.0)
"""Dispatches: a name as a profiler gives it, and microseconds."""

PROFILE = """\
import sys, torch
from torch.profiler import ProfilerActivity, profile
query = torch.randn(1, 2, 16, 8)
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    torch.nn.functional.scaled_dot_product_attention(query, query, query)
profiler.export_chrome_trace(sys.argv[1])
"""


def profiled(path: Path) -> dict[str, Any]:
    """Return what torch.profiler really writes of one attention on the CPU."""
    subprocess.run(
        [sys.executable, "-c", PROFILE, str(path)], check=True, stderr=subprocess.DEVNULL
    )
    trace: dict[str, Any] = json.loads(path.read_text())
    return trace


def kernel(name: str, microseconds: float, number: int) -> dict[str, Any]:
    """Return the event of one dispatch."""
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "pid": 0,
        "tid": 3,
        "ts": 5000000.123 + 100 * number,
        "dur": microseconds,
        "args": {
            "External id": number,
            "device": 0,
            "stream": 3,
            "hsa_queue": 0,
            "correlation": number,
            "kind": "Dispatch Kernel",
            "grid": [64, 1, 1],
            "block": [256, 1, 1],
        },
    }


def with_kernels(trace: dict[str, Any], *kernels: tuple[str, float]) -> dict[str, Any]:
    """Add dispatches to a trace: name and microseconds of each."""
    added = [kernel(name, time, at) for at, (name, time) in enumerate(kernels)]
    return {**trace, "traceEvents": [*trace["traceEvents"], *added]}


def ran(*kernels: str, cut: str = "", operators: dict[str, int] | None = None) -> Trace:
    times = (RanKernel(name, 1, 1000.0) for name in kernels)
    return Trace("/t/job.json", "torch.profiler", tuple(times), operators or {}, cut=cut)


def compiled(source: str, path: Path, *targets: str, fat: bool = False) -> Path:
    """Compile into a loose code object, or into a library with a fat binary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hip = path.parent / f"{path.name}.hip"
    launcher = 'struct dim3 { unsigned x, y, z; };\nextern "C" int hipLaunchKernel('
    launcher += "const void *, dim3, dim3, void **, unsigned long, void *);\n"
    hip.write_text(launcher + source)
    form = (
        ("-fPIC", "-shared", "-nostdlib")
        if fat
        else (
            "--cuda-device-only",
            "--no-gpu-bundle-output",
        )
    )
    always = ("-x", "hip", "-nogpulib", "-nogpuinc", "-O1", "-fuse-ld=lld", "-Wno-everything")
    wanted = (f"--offload-arch={each}" for each in targets)
    run(program("clang++"), *always, *form, *wanted, str(hip), "-o", str(path))
    hip.unlink()
    return path


def aks2(*images: bytes) -> bytes:
    """Pack code objects as AOTriton does (python/aks2.py of ROCm/aotriton 30ae967)."""
    directory, offset = b"", 0
    for number, image in enumerate(images):
        name = f"attn_fwd-Sig-F__{number}-Gpu-gfx942.hsaco\0".encode()
        directory += struct.pack("<5I", 0, 256, offset, len(image), len(name)) + name
        offset += len(image)
    content = directory + b"".join(images)
    head = struct.pack("<4sIII", b"AKS2", len(content), len(images), len(directory))
    return head + lzma.compress(content)


def flat_zip(path: Path, entries: dict[str, bytes]) -> None:
    """Put archives into one without compression, as AOTriton does (python/flatzip.py)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def kernel_database(path: Path, *images: bytes) -> None:
    """Write a database as MIOpen does (its kern_db.hpp)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE `kern_db` (`id` INTEGER PRIMARY KEY ASC,`kernel_name` TEXT NOT NULL,"
            "`kernel_args` TEXT NOT NULL,`kernel_blob` BLOB NOT NULL,`kernel_hash` TEXT NOT NULL,"
            "`uncompressed_size` INT NOT NULL)"
        )
        for number, image in enumerate(images):
            row = (f"k{number}.o", "-mcpu=gfx942", bz2.compress(image), "", len(image))
            connection.execute(
                "INSERT INTO kern_db (kernel_name, kernel_args, kernel_blob, kernel_hash, "
                "uncompressed_size) VALUES (?, ?, ?, ?, ?)",
                row,
            )


def rocprofv3(*kernels: tuple[str, float], pid: int = 4711) -> dict[str, Any]:
    """Return what ``rocprofv3 --kernel-trace --output-format json`` writes: name, microseconds.

    The names and their order are those of rocprofiler-sdk 029ff02: generateJSON.cpp,
    kernel_symbol_info.hpp and cxx/serialization.hpp. Ids count per process, and the symbols are
    those of all kernels in the loaded code objects, whether they ran or not.
    """
    names = dict.fromkeys(["never_ran", *(name for name, _ in kernels)])
    ids = {name: number for number, name in enumerate(names, start=1)}
    dispatches, now = [], 1_790_000_000_000_000_001
    for number, (name, microseconds) in enumerate(kernels, start=1):
        end = now + round(1000 * microseconds)
        dispatches.append({
            "size": 144,
            "kind": 11,
            "operation": 1,
            "thread_id": pid,
            "correlation_id": {"internal": number, "external": 0},
            "start_timestamp": now,
            "end_timestamp": end,
            "dispatch_info": {
                "size": 64,
                "agent_id": {"handle": 17332996360099338395},
                "queue_id": {"handle": 1},
                "kernel_id": ids[name],
                "dispatch_id": number,
                "private_segment_size": 0,
                "group_segment_size": 0,
                "workgroup_size": {"x": 256, "y": 1, "z": 1},
                "grid_size": {"x": 65536, "y": 1, "z": 1},
            },
            "stream_id": {"handle": 1},
        })  # fmt: skip
        now = end
    symbols = [{"size": 0, "kernel_id": 0, "code_object_id": 0, "kernel_name": ""}]
    symbols += [
        {
            "size": 80,
            "kernel_id": number,
            "code_object_id": 2,
            "kernel_name": f"{name}.kd",
            "kernel_object": 139836071903040,
            "formatted_kernel_name": name,
            "demangled_kernel_name": f"{name} [clone .kd]" if "(" in name else f"{name}.kd",
            "truncated_kernel_name": name.partition("<")[0].rpartition("::")[2],
        }
        for name, number in ids.items()
    ]
    process = {
        "metadata": {"pid": pid, "init_time": 1, "fini_time": now, "command": ["python", "t.py"]},
        "agents": [{"size": 304, "id": {"handle": 17332996360099338395}, "name": "gfx942"}],
        "counters": [],
        "strings": {"buffer_records": [{"kind": "KERNEL_DISPATCH", "operations": []}]},
        "code_objects": [{"code_object_id": 2, "uri": "file:///a.co"}],
        "kernel_symbols": symbols,
        "host_functions": [],
        "summary": [{"domain": "KERNEL_DISPATCH", "stats": {"operations": []}}],
        "callback_records": {"counter_collection": []},
        "buffer_records": {
            "kernel_dispatch": dispatches,
            "hip_api": [{"kind": 4, "operation": 213, "start_timestamp": 5, "end_timestamp": 6}],
            "memory_copy": [],
        },
    }
    return {"rocprofiler-sdk-tool": [process]}
