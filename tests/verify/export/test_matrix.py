"""``rocmlint verify export --matrix``: the list of models, rows, and flags; without torch."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.errors import ConfigError
from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.verify.export.listed import read
from rocmlint.verify.export.matrix import rows
from rocmlint.verify.export.tables import document, page, text
from tests.verify.export.test_judge import EQUAL, facts, mode

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.export.listed import ListedModel
    from tests.support.project import Project

DEFAULTS: dict[str, Any] = {"timeout": 60.0, "memory": None}


def listed(tmp_path: Path, toml: str) -> list[ListedModel]:
    path = tmp_path / "models.toml"
    path.write_text(toml)
    return read(str(path), DEFAULTS)


class Answering(Interpreter):
    """An interpreter that has an answer for each factory."""

    def ask(
        self, task: str, request: Any = None, progress: Any = None, *, shape: Any = object
    ) -> Any:
        assert (task, progress, shape) == ("exporting", None, object)
        if request["factory"] == "m:killed":
            message = "python was killed by SIGKILL without an answer"
            raise InterpreterError(message)
        found = facts(mode(EQUAL))
        return found.reference if request["step"] == "reference" else found.program


THREE = "".join(f'[[model]]\nfactory = "m:{each}"\n' for each in ("one", "killed", "<b>"))


def test_a_model_that_is_killed_is_a_row_and_not_the_end(tmp_path: Path) -> None:
    found = list(rows(listed(tmp_path, THREE), Answering(sys.executable), 2))
    assert [each.word for each in found] == ["PASS", "UNKNOWN", "PASS"]


def test_rows_keep_the_order_of_the_list(tmp_path: Path) -> None:
    toml = "".join(f'[[model]]\nfactory = "m:f{each}"\n' for each in range(20))
    found = [each.name for each in rows(listed(tmp_path, toml), Answering(sys.executable), 4)]
    assert found == [f"m:f{each}" for each in range(20)]


def test_no_more_models_than_jobs_run_at_a_time(tmp_path: Path) -> None:
    busy, most, lock = 0, 0, threading.Lock()

    class Counting(Answering):
        def ask(
            self, task: str, request: Any = None, progress: Any = None, *, shape: Any = object
        ) -> Any:
            nonlocal busy, most
            with lock:
                busy += 1
                most = max(most, busy)
            try:
                return super().ask(task, request, progress, shape=shape)
            finally:
                with lock:
                    busy -= 1

    list(rows(listed(tmp_path, THREE), Counting(sys.executable), 1))
    assert most == 1


def test_the_table_counts_each_verdict(tmp_path: Path) -> None:
    found = list(rows(listed(tmp_path, THREE), Answering(sys.executable), 1))
    told = "".join(text(found, color=False))
    assert "2 PASS, 0 PARTIAL, 0 WRONG, 0 FAIL, 1 UNKNOWN." in told


def test_the_page_escapes_names(tmp_path: Path) -> None:
    found = list(rows(listed(tmp_path, THREE), Answering(sys.executable), 1))
    assert "m:&lt;b&gt;" in "".join(page(found))


def test_the_document_has_the_verdict_on_all(tmp_path: Path) -> None:
    found = list(rows(listed(tmp_path, THREE), Answering(sys.executable), 1))
    assert '"verdict": "unproven", "exit_code": 3' in document(found)


def test_keys_above_the_models_hold_for_all_of_them(tmp_path: Path) -> None:
    toml = 'both-modes = true\ntimeout = 5\n[[model]]\nfactory = "m:a"\n'
    toml += '[[model]]\nfactory = "m:b"\ntimeout = 7\nboth-modes = false\n'
    found = listed(tmp_path, toml)
    assert [(each.timeout, each.question.strict) for each in found] == [
        (5.0, (False, True)),
        (7.0, (False,)),
    ]


def test_a_folder_is_relative_to_the_list(tmp_path: Path) -> None:
    (found,) = listed(tmp_path, '[[model]]\nconfig = "models/tiny"\n')
    assert found.question.config == str(tmp_path / "models" / "tiny")
    assert found.name == "tiny"


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("", "needs at least one [[model]]"),
        ("[[model]\n", "not valid TOML"),
        ("[[model]]\n", "needs either a factory or a config"),
        ('[[model]]\nfactory = "m:f"\nconfig = "x"\n', "needs either a factory or a config"),
        ('[[model]]\nfactory = "m:f"\ntimeot = 3\n', "unknown key 'timeot'"),
        ('[[model]]\nfactory = "m:f"\ntimeout = "3"\n', "timeout must be a number"),
        ('[[model]]\nfactory = "m:f"\ntimeout = true\n', "timeout must be a number"),
        ('[[model]]\nfactory = "m:f"\n[[model]]\nfactory = "m:f"\n', "two models are called"),
        ("model = 3\n", "needs at least one [[model]]"),
    ],
)
def test_a_wrong_list_is_refused_with_one_line(tmp_path: Path, toml: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        listed(tmp_path, toml)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name one model"),
        (("m:f", "--config", "x"), "name one model"),
        (("mf",), "must be PKG.MOD:FACTORY"),
        (("--config", "missing"), "not a directory with a config.json"),
        (("--matrix", "missing.toml"), "cannot be read"),
        (("--matrix", "missing.toml", "-j", "0"), "must be at least 1"),
        (("--matrix", "missing.toml", "--html", "no/page.html"), "no such directory"),
        (("--matrix", "missing.toml", "--probe"), "--probe is about one model"),
        (("m:f", "--html", "page.html"), "--html needs --matrix"),
        (("m:f", "--strict", "--both-modes"), "--strict is part of --both-modes"),
    ],
)
def test_wrong_usage_is_refused(project: Project, arguments: tuple[str, ...], message: str) -> None:
    run = project.run("verify", "export", *arguments)
    assert (run.returncode, message in run.stderr) == (2, True), run.stderr
