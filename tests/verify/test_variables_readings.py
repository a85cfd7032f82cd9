"""What Python makes of a variable in an expression, and who reads one in files."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.published.variables import ON
from rocmlint.verify.variables.functions import UnknownError
from rocmlint.verify.variables.python_reads import PythonFile
from rocmlint.verify.variables.readers import search
from rocmlint.verify.variables.switch_values import misread

EXPRESSIONS = """\
os.environ.get("N", "0") == "1"
os.environ.get("N") != "0"
os.environ.get("N", "").strip().lower() in {"1", "true"}
os.environ.get("N", "no").upper().startswith(("Y", "T", "1"))
int(os.getenv("N", "0"))
bool(int(os.getenv("N", default="1")))
not os.environ.get("N")
"N" in os.environ
"N" not in os.environ
os.environ.get("N") is not None
(os.environ.get("N") or "7") == "7"
len(os.environ["N"]) > 2
1 if os.getenv("N") in ("1", "on") else 0
os.environ.get("N", "a,b").split(",")[0] == "a"
""".splitlines()


@pytest.mark.parametrize("value", [None, "", "0", "1", "true", "TRUE", "on", "a,b", "no"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_outcome_is_what_python_gives(
    expression: str, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("N", raising=False)
    if value is not None:
        monkeypatch.setenv("N", value)
    (reading,) = PythonFile(f"import os\nX = {expression}\n").readings("N")

    def outcome_of(function: Any) -> object:
        try:
            return function()
        except (KeyError, UnknownError):
            return "no value"
        except ValueError:
            return ValueError

    assert outcome_of(lambda: reading.outcome(value)) == outcome_of(
        lambda: eval(expression, {"os": os})  # noqa: S307 - of the list above
    )


@given(st.sampled_from(EXPRESSIONS), st.sampled_from(ON))
def test_the_word_that_is_proposed_is_right(expression: str, value: str) -> None:
    (reading,) = PythonFile(f"X = {expression}").readings("N")
    found = misread(reading, value)
    if found and found[1] is not None:
        assert misread(reading, found[1]) is None


@given(st.text(max_size=200))
def test_no_source_breaks_a_reading(source: str) -> None:
    try:
        file = PythonFile(f"{source}\nos.environ['N']\n")
    except (SyntaxError, ValueError):
        return
    assert all(each.line > 0 for each in file.readings("N"))


@pytest.mark.slow
def test_the_readers_of_the_real_torch() -> None:
    spec = find_spec("torch")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = spec.submodule_search_locations[0]
    names = ["TORCH_BLAS_PREFER_HIPBLASLT", "HIP_VISIBLE_DEVICES", "TORCH_ROCM_USE_HIPBLASLT"]
    folders = [os.path.join(folder, "cuda"), os.path.join(folder, "lib")]
    found = search(dict.fromkeys(names, "1"), folders, [])
    (library,) = found.readers["TORCH_BLAS_PREFER_HIPBLASLT"]
    assert library.path.endswith("libtorch_cpu.so")
    reader = found.readers["HIP_VISIBLE_DEVICES"][0]
    assert reader.reading is not None
    line = Path(reader.path).read_text().splitlines()[reader.reading.line - 1]
    assert 'getenv("HIP_VISIBLE_DEVICES")' in line
    assert "TORCH_ROCM_USE_HIPBLASLT" not in found.readers


@pytest.mark.parametrize(
    "deep",
    [f"{'not ' * 1000}READ", f"{'(' * 5000}READ{')' * 5000}", " + ".join(["READ"] * 5000)],
    ids=["not", "brackets", "sum"],
)
def test_a_file_nested_too_deeply_hides_no_other(tmp_path: Path, deep: str) -> None:
    read = 'os.environ.get("AITER_ON")'
    (tmp_path / "a.py").write_text(f"import os\nON = {deep.replace('READ', read)}\n")
    (tmp_path / "b.py").write_text(f"import os\nON = {read} == '1'\n")
    found = search({"AITER_ON": "1"}, [str(tmp_path)], [])
    readers = {os.path.basename(each.path): each for each in found.readers["AITER_ON"]}
    # Python 3.10 can read one of them; where it cannot, the file is named with a doubt.
    assert readers["a.py"].doubt in {"", "may read"}
    assert not readers["b.py"].doubt
