"""Reading the device code in a file: for which GPUs it is, in which form, and whether it is whole.

:func:`.file.read_file` gives what a file holds; :func:`.file.code_objects` gives each code object
with its ELF, for what must be looked up inside (symbols). Every file is memory-mapped, and what is
compressed is decoded as a stream.

Sources of the formats: "User Guide for AMDGPU Backend" and "Clang Offload Bundler" of LLVM 19,
``hip_fatbin.cpp`` of ROCm/rocm-systems (commit 02ba062), ``shared/kpack`` of the same (commit
1ddbe7e); measured on the files named in ``benchmarks/code_objects.py``.
"""
