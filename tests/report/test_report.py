"""Reports: fingerprints, files, and what a report without findings costs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.errors import RocmlintError
from rocmlint.findings import Finding
from rocmlint.report import FORMATS, Report, write_file
from tests.support.reports import REPORT, SCHEMAS, rendered

if TYPE_CHECKING:
    from pathlib import Path

# Fingerprints


def fingerprints(text: str, *lines: int) -> list[str]:
    found = [Finding("a.py", line, 1, line, 5, "ROC501", "name", "message") for line in lines]
    output = rendered("gitlab", Report(found, 1, texts={"a.py": text}))
    return [issue["fingerprint"] for issue in json.loads(output)]


def test_fingerprints_stay_when_lines_move_and_tell_findings_apart() -> None:
    before = fingerprints("half()\nload()\nhalf()\n", 1, 2, 3)
    assert len(set(before)) == 3
    assert fingerprints("# new\nhalf()\n\nif x:\n    load()\nhalf()\n", 2, 5, 6) == before
    assert fingerprints("half(x)\n", 1) != before[:1]


# Files and start-up


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_can_be_written_to_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "reports" / "out"
    write_file(name, REPORT, str(path))
    assert path.read_text() == rendered(name)
    assert [each.name for each in path.parent.iterdir()] == ["out"]


def test_a_report_that_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(RocmlintError, match=f"report to {tmp_path}"):
        write_file("sarif", REPORT, str(tmp_path))


def test_a_run_without_findings_loads_little() -> None:
    code = (
        "import sys; from rocmlint.report import Report, write\n"
        "write('text', Report([], 3), sys.stdout)\n"
        "print(*sorted({'dataclasses', 'json', 'xml', 'libcst'} & set(sys.modules)))"
    )
    command = [sys.executable, "-S", "-c", code]
    environment = {"PYTHONPATH": str(SCHEMAS.parent.parent / "src")}
    run = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert run.stdout.split() == []
