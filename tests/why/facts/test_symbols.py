"""Names in symbols, compared with the demangler of the C++ library."""

from __future__ import annotations

import pytest

from rocmlint.why.facts.machine.libraries import library_of, systems_with
from rocmlint.why.facts.machine.symbols import symbol_of

cxxfilt = pytest.importorskip("cxxfilt")
SYMBOLS = (
    "_ZN3c104cuda9SetDeviceEi",
    "_ZN3c104cuda9SetDeviceEab",
    "_ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEE",
    "_ZNK3c1010TensorImpl36is_contiguous_nondefault_policy_implENS_12MemoryFormatE",
    "_ZN3c106detail14torchCheckFailEPKcS2_jS2_",
    "_ZN2at6detail10noopDeleteEPv",
    "_ZSt4endl",
)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_name_is_that_of_the_demangler(symbol: str) -> None:
    name = cxxfilt.demangle(symbol, external_only=False).partition("(")[0].removesuffix(" const")
    if name != symbol:
        assert symbol_of(symbol).name == name


def test_a_symbol_says_which_strings_its_compiler_used() -> None:
    new = symbol_of(
        "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    )
    old = symbol_of("_ZN3c105ErrorC1ENS_14SourceLocationESs")
    assert (new.name, new.has_new_strings, new.has_old_strings) == ("c10::Error", True, False)
    assert (old.name, old.has_new_strings, old.has_old_strings) == ("c10::Error", False, True)


@pytest.mark.parametrize("text", ["", "_Z", "_ZN", "_ZN999999c", "_ZN0E", "PyUnicode_AsUTF8"])
def test_what_cannot_be_read_stays_as_it_is(text: str) -> None:
    assert symbol_of(text).name == text


def test_libraries_belong_to_cuda_rocm_torch_or_the_system() -> None:
    sides = {
        "libcudart.so.12": "cuda",
        "libcuda.so.1": "cuda driver",
        "libamdhip64.so.6": "rocm",
        "libtorch_cuda.so": "torch for cuda",
        "libc10.so": "torch",
        "libpython3.11.so.1.0": "python",
        "libsomething.so.1": None,
    }
    assert {name: library_of(name).side for name in sides} == sides
    assert library_of("libamdhip64.so.6").major == "6"
    assert library_of("libGL.so.1").package == "libgl1"
    assert systems_with("GLIBCXX", "3.4.31") == ("Ubuntu 24.04",)
    assert systems_with("GLIBC", "2.34")[0] == "Ubuntu 22.04"
