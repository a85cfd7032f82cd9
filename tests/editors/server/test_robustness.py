"""Whatever an editor sends and whatever a file does, the server goes on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.acme import RULE
from tests.support.editor import ServerError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.editors.server.conftest import Start
    from tests.support.editor import Editor

pytest.importorskip("pygls")

from rocmlint.editors.server.messages import Options, Unsaved
from rocmlint.editors.server.process import Worker, WorkerError
from rocmlint.editors.server.session import Session

CHECK = "def check(self, node, file):\n"
INSTALLS = "import os\n\nos.system('pip install vllm')\n"


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("raise RuntimeError('of my own')", "of my own"),
        ("import os; os._exit(3)", "ended the process that lints (exit code 3)"),
        ("print('noise'); input()", "EOF"),
    ],
)
def test_a_bad_rule_is_told_and_spoils_nothing_else(
    project: Path, start: Start, does: str, told: str
) -> None:
    (project / "own" / "no_vllm.py").write_text(
        RULE.replace(
            CHECK, f"{CHECK}        if file.path.endswith('bad.py'):\n            {does}\n"
        )
    )
    editor = start()
    editor.open("good.py", INSTALLS)
    editor.open("bad.py", INSTALLS)
    assert editor.codes("bad.py") == []
    assert editor.codes("good.py") == ["ACME001"]
    assert [each for each in editor.logged if told in each and "bad.py" in each]
    editor.open("late.py", INSTALLS)
    assert editor.codes("late.py") == ["ACME001"]


def test_a_file_of_a_folder_that_is_not_there_is_linted(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "saved"
    file = Unsaved(str(folder / "a.py"), "x = (\n", str(folder))
    linted = Session(Options(isolated=True)).lint(file)
    assert ([each.code for each in linted.findings], linted.problems) == (["ROC900"], ())


@pytest.mark.parametrize(
    "text", ["\0", "\ud800", "(" * 10_000, "x = 1\n" * 50_000, "{" * 100 + "'"]
)
def test_odd_text_is_linted(editor: Editor, text: str) -> None:
    editor.open(f"odd{hash(text)}.py", text)
    editor.diagnostics(f"odd{hash(text)}.py")
    editor.open(f"odd{hash(text)}.ipynb", text)
    editor.diagnostics(f"odd{hash(text)}.ipynb")


def test_requests_about_unknown_documents_are_answered(editor: Editor) -> None:
    assert editor.actions("never_opened.py") == []
    with pytest.raises(ServerError):
        editor.request("workspace/nothing", {})


def test_a_request_can_be_cancelled(project: Path, start: Start) -> None:
    slow = RULE.replace(
        "def check(self, node, file):\n",
        "def check(self, node, file):\n        import time; time.sleep(1)\n",
    )
    (project / "own" / "no_vllm.py").write_text(slow)
    editor = start(capabilities={"textDocument": {"diagnostic": {}}})
    editor.open("a.py", INSTALLS)
    number = editor.ask("textDocument/diagnostic", {"textDocument": {"uri": editor.uri("a.py")}})
    editor.notify("$/cancelRequest", {"id": number})
    with pytest.raises(ServerError, match="-32800"):
        editor.answer(number)
    again = editor.request("textDocument/diagnostic", {"textDocument": {"uri": editor.uri("a.py")}})
    assert [each["code"] for each in again["items"]] == ["ACME001"]


def test_an_editor_that_is_gone_leaves_nothing_behind(start: Start) -> None:
    editor = start()
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert editor.process.wait(60) == 1


def test_one_line_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "hidden.py").write_text(
        "import sys\nsys.modules['pygls'] = None\n"
        "from rocmlint.cli.main import main\nsys.exit(main(['server']))\n"
    )
    done = subprocess.run(
        [sys.executable, "hidden.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = "error: the language server needs the package pygls: pip install 'rocmlint[lsp]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_wrong_options_are_told_before_the_editor_is_answered(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rocmlint", "server", "--config", "none.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --config none.toml")


def test_a_request_that_takes_too_long_ends_the_child_alone(project: Path) -> None:
    (project / "own" / "no_vllm.py").write_text(
        RULE.replace(
            CHECK, f"{CHECK}        import time; time.sleep(len(file.text) // 100 * 1000)\n"
        )
    )

    async def asked() -> list[str]:
        worker = Worker(Options({}), limit=5)
        try:
            with pytest.raises(WorkerError, match="took longer than 5 seconds"):
                await worker.ask("lint", Unsaved(path, 10 * INSTALLS, str(project)))
            found = await worker.ask("lint", Unsaved(path, INSTALLS, str(project)))
        finally:
            worker.end()
        return [each.code for each in found.findings]

    path = str(project / "a.py")
    assert asyncio.run(asked()) == ["ACME001"]
