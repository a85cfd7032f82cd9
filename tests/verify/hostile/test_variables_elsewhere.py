"""Variables that are read or set by what is not the user's Python: images, shells, libraries, C++.

The truth is what is known of the files that are made here; nothing of them can run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.variables import NAME, verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged, Truth

READ = f'import os\nFAST = os.environ.get("{NAME}", "0") == "1"\n'
NOT_READ = "import os\nFAST = os.environ.get('AITER_Y', '0') == '1'\n"
SET = f'import os\nos.environ["{NAME}"] = "0"\n'
RUST = b"\x7fELF\0/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library\0"


def files(root: Path, **texts: str | bytes) -> Path:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


@pytest.mark.verdict
@pytest.mark.parametrize(
    ("name", "text", "truth"),
    [
        ("engine_dot_cpp", f'bool fast = std::getenv("{NAME}") != nullptr;', "open"),
        ("kernels_dot_cu", f'static const char* x = getenv("{NAME}");', "open"),
        ("engine_dot_cpp", f"// {NAME} is not read any longer", "broken"),
        ("run_dot_sh", f'python train.py --fast "${{{NAME}:-1}}"', "open"),
        ("run_dot_sh", f"# {NAME} was read here once", "broken"),
        ("config_dot_yaml", f"fast: ${{oc.env:{NAME}}}", "open"),
        ("README_dot_md", f"Set `{NAME}=1` to be fast.", "broken"),
        ("engine_dot_so", b"\x7fELF\0" + NAME.encode() + b"\0", "holds"),
        ("engine_dot_so", b"\x7fELF\0" + NAME.encode() + b"YZ\0", "broken"),
        ("engine_dot_abi3_dot_so", RUST + b"FAST" + NAME.encode() + b"SLOW", "open"),
        ("launcher_dot_pyi", f'{NAME}: str = "{NAME}"', "broken"),
    ],
)
def test_a_file_that_is_not_python_may_read_a_variable(
    tmp_path: Path, judged: Judged, name: str, text: str | bytes, truth: Truth
) -> None:
    folder = files(tmp_path, main_dot_py=NOT_READ, **{name: text})
    found, told = verdict("1", folder)
    print(told)  # noqa: T201 - of a case that fails
    judged("variables", truth, found)
    assert truth != "broken" or found == "contradicted"


@pytest.mark.verdict
@pytest.mark.parametrize(
    ("name", "text", "truth"),
    [
        ("Dockerfile", f"FROM scratch\nENV {NAME}=0 OTHER=2\n", "open"),
        ("Dockerfile", f"FROM scratch\nENV {NAME} 0\n", "open"),
        ("Dockerfile", f"FROM scratch\nENV {NAME}=1\n", "holds"),
        ("Dockerfile", f"FROM scratch\n# ENV {NAME}=0\n", "holds"),
        ("run_dot_sh", f"export {NAME}=0\npython main.py\n", "open"),
        ("run_dot_sh", f"unset {NAME}\npython main.py\n", "open"),
        ("run_dot_sh", f"{NAME}=0 python main.py\n", "open"),
        ("_dot_env", f"{NAME}=0\n", "open"),
        ("notes_dot_txt", f"{NAME}=0\n", "holds"),
    ],
)
def test_a_file_that_is_not_python_may_set_a_variable(
    tmp_path: Path, judged: Judged, name: str, text: str, truth: Truth
) -> None:
    found, told = verdict("1", files(tmp_path, main_dot_py=READ, **{name: text}))
    print(told)  # noqa: T201 - of a case that fails
    judged("variables", truth, found)


@pytest.mark.verdict
@pytest.mark.parametrize(
    ("installed", "truth"),
    [
        (SET, "open"),
        (f'import os\ndef disable():\n    os.environ["{NAME}"] = "0"\n', "holds"),
        (f'import os\nos.environ.setdefault("{NAME}", "0")\n', "holds"),
        (f'import os\nif "{NAME}" not in os.environ:\n    os.environ["{NAME}"] = "0"\n', "holds"),
    ],
    ids=["at import", "in a function", "as a default", "if it is missing"],
)
def test_an_installed_package_sets_a_variable(
    tmp_path: Path, judged: Judged, installed: str, truth: Truth
) -> None:
    """A function of a package that nobody here calls is told, but decides nothing."""
    packages = files(tmp_path / "packages", other____init___dot_py=installed)
    own = files(tmp_path / "own", main_dot_py=READ)
    judged("variables", truth, verdict("1", own, installed=[packages])[0])


@pytest.mark.verdict
def test_a_program_that_prints_all_variables_of_a_family_does_not_read_one(
    tmp_path: Path, judged: Judged
) -> None:
    prints = 'import os\nfor k, v in os.environ.items():\n    if k.startswith("AITER"): print(k)\n'
    packages = files(tmp_path, report____init___dot_py=prints)
    judged("variables", "broken", verdict("1", installed=[packages])[0])


@pytest.mark.verdict
@pytest.mark.parametrize("value", ["0", "0,1", "2"])
def test_zero_is_a_number_where_others_take_it_as_one(
    tmp_path: Path, judged: Judged, value: str
) -> None:
    """A list of devices is tested for being there, and 0 is the first of them."""
    asks = f'import os\nRESTRICTED = "{NAME}" in os.environ\n'
    splits = f'import os\nDEVICES = [int(d) for d in os.environ.get("{NAME}", "").split(",")]\n'
    packages = files(tmp_path, torch____init___dot_py=asks, ray____init___dot_py=splits)
    judged("variables", "holds", verdict(value, installed=[packages])[0])


@pytest.mark.verdict
def test_a_test_for_presence_in_one_file_misreads_what_is_a_switch_in_another(
    tmp_path: Path, judged: Judged
) -> None:
    asks = f'import os\nif os.environ.get("{NAME}"):\n    FAST = True\n'
    own = files(tmp_path, one_dot_py=asks, two_dot_py=READ)
    judged("variables", "broken", verdict("0", own)[0])
    assert verdict("1", own)[0] == "proven"


def test_the_place_that_overwrites_is_named(tmp_path: Path) -> None:
    own = files(tmp_path, main_dot_py=SET + READ)
    found, told = verdict("1", own)
    assert found == "contradicted"
    assert "main.py:2 sets it to '0' before" in told["why"]
    assert told["do"] == f"change {tmp_path}/main.py:2"


def test_where_no_value_turns_it_off_the_code_has_to_change(tmp_path: Path) -> None:
    always = f'import os\nFAST = bool(os.environ.get("{NAME}") or "yes")\n'
    _, told = verdict("0", files(tmp_path, main_dot_py=always))
    assert told["do"] == f"change {tmp_path}/main.py:2: no value turns it off there"


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return f(x)\nON = f(os.environ.get('AITER_X'))\n",
        "a = os.environ.get('AITER_X')\nwhile a:\n    a = a + a\n",
        "x = 'a' * 10**9 + os.environ.get('AITER_X', '')\n",
        "x = '{:>999999999}'.format(os.environ.get('AITER_X'))\n",
        "x = [y for y in os.environ.get('AITER_X', '0') * 10**8]\n",
        "class A:\n    x = A.x or os.environ.get('AITER_X')\n",
        "import main\nON = main.ON or os.environ.get('AITER_X')\n",
        "x = int('9' * 5000 + os.environ.get('AITER_X', '0'))\n",
        f"x = os.environ.get('AITER_X'){' or 1' * 3000}\n",
        f"x = {'f(' * 80}os.environ.get('AITER_X'){')' * 80}\n",
    ],
)
def test_no_program_makes_the_evaluation_endless(tmp_path: Path, source: str) -> None:
    verdict("1", files(tmp_path, main_dot_py=f"import os\n{source}"))
