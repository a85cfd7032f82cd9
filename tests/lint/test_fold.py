"""Findings about a whole project: reported once a run, however many places show them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from rocmlint.api import lint_paths, lint_source
from rocmlint.findings import Edit, Finding, Fix
from rocmlint.lint.fold import folded
from tests.support.repositories import GONE, write

pytestmark = pytest.mark.usefixtures("in_repository")
OPTIONS = {"select": ["ROC212"], "preview": True}


def finding(path: str, line: int, once: str) -> Finding:
    place = (line, 1, line, 2)
    return Finding(path, *place, "ROC212", "undeclared-package", "Fault", help="Do.", once=once)


def test_the_first_place_stands_for_all_and_counts_them() -> None:
    found = [finding("b.py", 1, "x"), finding("a.py", 7, "x"), finding("a.py", 3, "x")]
    (kept,) = folded(found)
    assert (kept.path, kept.line) == ("a.py", 3)
    assert kept.help == "Do. The same holds for 2 more places, 1 of them in another file."


def test_the_most_severe_stands_for_all() -> None:
    note = replace(finding("README.md", 3, "x"), severity="note")
    error = finding("train.sh", 9, "x")
    (kept,) = folded([note, error, replace(error, line=12)])
    assert (kept.path, kept.line, kept.severity) == ("train.sh", 9, "error")
    assert kept.help == "Do. The same holds for 2 more places, 1 of them in another file."


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (["a.py"], "1 more place."),
        (["a.py", "a.py"], "2 more places."),
        (["b.py"], "1 more place, in another file."),
        (["b.py", "b.py"], "2 more places, in another file."),
        (["b.py", "c.py"], "2 more places, in 2 other files."),
        (["a.py", "b.py", "c.py"], "3 more places, 2 of them in 2 other files."),
    ],
)
def test_the_count_says_which_places_are_in_other_files(others: list[str], told: str) -> None:
    found = [finding(path, line, "x") for line, path in enumerate(["a.py", *others], 1)]
    assert [each.help for each in folded(found)] == [f"Do. The same holds for {told}"]


def test_a_help_of_two_sentences_keeps_them_and_counts_in_a_clause() -> None:
    found = [finding("a.py", line, "x") for line in (3, 7)]
    (kept,) = folded([replace(each, help="Take `a.b`. Or `c`.") for each in found])
    assert kept.help == "Take `a.b`. Or `c`; the same holds for 1 more place."


def test_what_is_no_finding_of_a_project_stays_as_it_is() -> None:
    found = [finding("a.py", 1, ""), finding("a.py", 2, "")]
    assert folded(found) == found


def test_a_checkout_that_many_scripts_append_is_reported_once() -> None:
    write("megatron/__init__.py", "")
    write("megatron/core/parallel_state.py", "")
    for name in ("tools/b.py", "tools/a.py"):
        write(
            name,
            'import sys\nsys.path.append("..")\n'
            "from megatron.core import parallel_state\nprint(parallel_state)\n",
        )
    (found,) = lint_paths(["."], options={"select": ["ROC105"]})
    assert found.path == "tools/a.py"
    assert found.help.endswith("The same holds for 1 more place, in another file.")


def test_the_first_place_has_the_fixes_of_all_in_its_file() -> None:
    places = [finding("a.py", 3, "x"), finding("a.py", 7, "x"), finding("b.py", 1, "x")]
    edits = [Edit(each.line, 1, each.line, 2, "y") for each in places]
    found = [
        replace(each, fix=Fix("Use y", (edit,), safe=True))
        for each, edit in zip(places, edits, strict=True)
    ]
    (kept,) = folded(found)
    assert kept.fix == Fix("Use y", tuple(edits[:2]), safe=True)


def test_a_project_gets_one_finding_for_each_package() -> None:
    for name in ("b.py", "deep/a.py", "a.py"):
        write(name, f"{GONE}from huggingface_hub import HfFolder\n")
    found = lint_paths(["."], options=OPTIONS)
    assert [(each.path, each.message.partition(" ")[0]) for each in found] == [
        ("a.py", "transformers"),
        ("a.py", "huggingface_hub"),
    ]
    assert found[0].help.endswith("The same holds for 2 more places, in 2 other files.")


def test_the_answer_is_the_same_from_the_cache_and_from_several_processes() -> None:
    for name in ("a.py", "b.py", "c.py"):
        write(name, GONE)
    alone = lint_paths(["."], options=OPTIONS, jobs=1)
    for _ in range(2):
        assert lint_paths(["."], options=OPTIONS, jobs=2, cache_dir="cache") == alone
    write("a.py", "")
    (found,) = lint_paths(["."], options=OPTIONS, cache_dir="cache")
    assert found.path == "b.py"
    assert found.help.endswith("The same holds for 1 more place, in another file.")


def test_a_suppression_at_the_first_place_leaves_the_next_one() -> None:
    write("a.py", GONE.replace("\n", "  # noqa: ROC212\n"))
    write("b.py", GONE)
    assert [each.path for each in lint_paths(["."], options=OPTIONS)] == ["b.py"]


def test_add_ignore_comments_each_place_so_that_the_next_run_is_clean() -> None:
    write("a.py", GONE)
    write("b.py", GONE)
    rocmlint = (sys.executable, "-m", "rocmlint", "--no-cache", "--preview", "--select", "ROC212")
    subprocess.run([*rocmlint, "--add-ignore", "issue 12", "."], check=True)
    subprocess.run([*rocmlint, "."], check=True)


def test_a_file_that_is_linted_alone_has_its_finding() -> None:
    (found,) = lint_source(GONE + GONE, "job.py", options=OPTIONS)
    assert found.help.endswith("The same holds for 1 more place.")


def test_flake8_reports_a_package_once_a_file() -> None:
    path = write("job.py", GONE + GONE)
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "ROC212", str(path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert printed.count("ROC212") == 1
