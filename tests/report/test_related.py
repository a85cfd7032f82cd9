"""Where else a finding comes from, in each format that can name other places."""

from __future__ import annotations

import pytest

from rocmlint.findings import Finding, Related
from rocmlint.lint.cache.serialized import from_stored, to_stored
from rocmlint.lint.fold import folded
from rocmlint.report import Report
from tests.support.reports import check_json, rendered

COMMAND = Related("docker/Dockerfile", 4, 20, "pip install -r app/requirements.txt")
FOUND = Finding(
    *("app/requirements.txt", 2, 1, 2, 5, "ROC201", "install-replaces-torch"),
    *("`vllm` replaces torch", "warning", "Build it."),
    related=(COMMAND,),
)
REPORT = Report([FOUND], 1, texts={FOUND.path: "numpy\nvllm\n"})


def test_text_names_the_place_behind_the_code() -> None:
    told = "= from: docker/Dockerfile:4:20 pip install -r app/requirements.txt\n"
    assert told in rendered("text", REPORT)


def test_json_has_the_places() -> None:
    (finding,) = check_json("json", rendered("json", REPORT))["findings"]
    assert finding["related"] == [vars(COMMAND)]


def test_sarif_has_the_places() -> None:
    log = check_json("sarif", rendered("sarif", REPORT))
    (place,) = log["runs"][0]["results"][0]["relatedLocations"]
    assert place["message"] == {"text": COMMAND.message}
    assert place["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 20}
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith(COMMAND.path)


def test_html_has_the_places_in_its_data_and_in_its_list() -> None:
    assert rendered("html", REPORT).count(str(COMMAND)) == 2


def test_an_editor_gets_the_places() -> None:
    diagnostics = pytest.importorskip("rocmlint.editors.server.diagnostics")
    shown = diagnostics._related(COMMAND)
    assert shown.message == COMMAND.message
    assert shown.location.uri.endswith("docker/Dockerfile")
    assert (shown.location.range.start.line, shown.location.range.start.character) == (3, 19)


@pytest.mark.parametrize("root", ["", "project/", "../"])
def test_a_stored_place_follows_the_path_of_the_finding(root: str) -> None:
    again = from_stored(f"{root}{FOUND.path}", to_stored(FOUND))
    (place,) = again.related
    assert place.path == f"{root}{COMMAND.path}"


def test_the_place_to_edit_is_for_all_that_is_found_of_one_cause() -> None:
    at_list = Finding(**{**vars(FOUND), "once": "cause"})
    at_command = Finding(**{**vars(FOUND), "once": "cause", "path": "Dockerfile", "related": ()})
    assert folded([at_command, at_list]) == [at_list]
    assert folded([at_command]) == [at_command]
