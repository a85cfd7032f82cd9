"""Questions about files run nothing of the current folder or of PYTHONPATH, however it is named.

Each module of the standard library, and some that it tries to import, lies there too; when one is
run it leaves its name behind. The command is the installed one: ``python -m`` itself takes modules
of the current folder before anything of rocmlint has begun.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.verify.manifest.read import Manifest, ManifestFile, write
from tests.support.environments import Environment, plain_environment
from tests.support.tools import path_of

COMMAND = str(Path(sys.executable).with_name("rocmlint"))
TRIED_BY_THE_LIBRARY = ("org", "vms_lib", "java")
NAMES = sorted({*sys.stdlib_module_names, *TRIED_BY_THE_LIBRARY} - {"__main__"})
SOURCE = "answer = 1\n"
READER = "import os\nON = os.environ.get('AITER_ON', '0') == '1'\n"
CODECS = ("idna", "bz2_codec", "uu_codec", "zlib_codec", "quopri_codec", "punycode")

VERBS = {
    "patches": ("verify", "patches", "--manifest", "tiny.toml"),
    "stock": ("verify", "stock", "tiny"),
    "kernels": ("verify", "kernels"),
    "variables": ("verify", "variables", "--variable", "AITER_ON=1"),
    "claims": ("verify", "."),
    "trace": ("verify", "trace", "trace.json"),
    "stack": ("stack", "show", "--output-format", "json"),
}

FILES = [{"path": "tiny/mod.py", "module": "tiny.mod", "sha256": "0" * 64}]
REQUESTS: dict[str, object] = {
    "packages.patches": [{"package": "tiny", "files": FILES, "patched": ["tiny/mod.py"]}],
    "packages.stock": ["tiny", "json"],
    "devices": "targets",
    "variables": {"names": ["PATH"]},
    "imports.defined": {"targets": [["tiny.mod", "answer"], ["tiny", "ON"]]},
    "packages.distributions": {"modules": ["tiny", "torch"]},
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment with a package, of which some files are in odd encodings."""
    made = Environment(tmp_path_factory.mktemp("installed") / "venv")
    odd = {f"tiny/{name}.py": f"# coding: {name}\n{SOURCE}" for name in CODECS}
    made.install("tiny", "1.0", {"tiny/__init__.py": READER, "tiny/mod.py": SOURCE, **odd})
    return made


@pytest.fixture
def checkout(tmp_path: Path, installed: Environment) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    names = ["mod", "__init__", *CODECS]
    files = {f"tiny/{each}.py": (installed.site / f"tiny/{each}.py") for each in names}
    hashed = (ManifestFile(it, sha256(at.read_bytes()).hexdigest()) for it, at in files.items())
    write(str(folder / "tiny.toml"), Manifest("tiny", "==1.0", tuple(hashed)))
    (folder / "trace.json").write_text('{"traceEvents": []}')
    (folder / "job.py").write_text(
        "import transformers.trainer\n"
        "transformers.trainer.Trainer.log = print\n"
        "from transformers.models.siglip import check\n"
        "assert check.check_whether_transformers_replace_is_installed_correctly()\n"
    )
    return folder


def shadow(folder: Path, names: list[str], marks: Path) -> None:
    """Put a module of each name into a folder, which leaves a mark when it is run."""
    marks.mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    for name in names:
        mark = f"open({str(marks / name)!r}, 'w').close()\nraise ImportError({name!r})\n"
        (folder / f"{name}.py").write_text(mark)


def run(
    checkout: Path, installed: Environment, verb: str, **variables: str
) -> tuple[int, str, str]:
    done = subprocess.run(
        [COMMAND, *VERBS[verb], "--python", str(installed.python)],
        cwd=checkout,
        env=plain_environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow  # starts the command and what it asks, twice for each verb
@pytest.mark.parametrize("verb", VERBS)
def test_modules_of_the_current_folder_are_data(
    checkout: Path, installed: Environment, tmp_path: Path, verb: str
) -> None:
    before = run(checkout, installed, verb)
    assert "Traceback" not in before[2]
    shadow(checkout, NAMES, tmp_path / "marks")
    assert run(checkout, installed, verb) == before
    assert os.listdir(tmp_path / "marks") == []


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13", "3.14"])
def test_modules_of_the_current_folder_are_data_for_other_pythons_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    python = f"python{version}"
    if not starts(python):
        pytest.skip(f"needs {python}")
    for name in [each for each in os.environ if each.startswith("PYTHON")]:
        monkeypatch.delenv(name)
    shadow(tmp_path / "checkout", NAMES, tmp_path / "marks")
    monkeypatch.chdir(tmp_path / "checkout")
    for task, request in REQUESTS.items():
        Interpreter(python).ask(task, request)
    assert os.listdir(tmp_path / "marks") == []


def starts(python: str) -> bool:
    program = path_of(python)
    if program is None:
        return False
    return not subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode


def marked_by(python: Path, folder: Path, marks: Path) -> set[str]:
    """Return the modules that Python itself runs, or tries to, before what it is asked to do."""
    variables = plain_environment(PYTHONPATH=str(folder))
    subprocess.run([python, "-c", "pass"], env=variables, cwd="/", check=True)
    return {each.name for each in marks.iterdir()}


@pytest.mark.parametrize("task", REQUESTS)
def test_modules_on_pythonpath_are_data(
    installed: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    for name in [each for each in os.environ if each.startswith("PYTHON")]:
        monkeypatch.delenv(name)
    folder, marks = tmp_path / "more", tmp_path / "marks"
    folder.mkdir()
    asked = Interpreter(str(installed.python), environment={"PYTHONPATH": str(folder)})
    before = asked.ask(task, REQUESTS[task])
    loaded = subprocess.run(
        [installed.python, "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    shadow(folder, [each for each in NAMES if each not in loaded], marks)
    of_python = marked_by(installed.python, folder, marks)
    assert asked.ask(task, REQUESTS[task]) == before
    assert {each.name for each in marks.iterdir()} == of_python
    assert "json" not in of_python


@pytest.mark.parametrize(
    "variables",
    [{}, {"PYTHONSAFEPATH": "1"}, {"PYTHONPATH": "here:/there::."}, {"PYTHONPATH": ":"}],
    ids=str,
)
def test_what_a_program_imports_is_searched_as_python_m_does(
    installed: Environment,
    tmp_path: Path,
    variables: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    installed.write("shown.py", "import sys\nfound = sys.path[:]\n")
    installed.write("shown_alone.py", "import json, shown\nprint(json.dumps(shown.found))\n")
    installed.write("asked.py", "import shown\ndef call(): raise OSError(shown.found)\n")
    program = subprocess.run(
        [installed.python, "-m", "shown_alone"],
        env=plain_environment(**variables),
        capture_output=True,
        text=True,
        check=True,
    )
    for name in [each for each in os.environ if each.startswith("PYTHON")]:
        monkeypatch.delenv(name)
    asked = Interpreter(str(installed.python), environment=variables)
    request = {"modules": ["asked"], "files": [], "call": "asked:call"}
    expected = "OSError: " + str(json.loads(program.stdout))
    assert asked.ask("job.loaded", request)["call_failed"].endswith(expected)


def test_what_a_program_imports_may_have_a_name_of_the_library(
    installed: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "random.py").write_text("import tomllib_of_ours\n")
    (tmp_path / "tomllib_of_ours.py").write_text("")
    monkeypatch.chdir(tmp_path)
    asked = Interpreter(str(installed.python))
    request = {"modules": ["random", "tomllib_of_ours"], "files": [], "call": None}
    assert asked.ask("job.loaded", request)["failed"] == {}
