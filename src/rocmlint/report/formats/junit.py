"""JUnit's XML, for the many systems that show test results: each finding is a failed test.

A note is a skipped test: all that show results show its message, and none counts it as a failure.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rocmlint.report.notes import is_note
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report


_COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - XML has no colours
    """Yield a suite for each file with findings, and one for the run itself."""
    root = ET.Element("testsuites", name="rocmlint")
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        suite = ET.SubElement(root, "testsuite", name=visible(path))
        for finding in findings:
            _add_finding(suite, finding)
    _add_run(ET.SubElement(root, "testsuite", name="rocmlint"), report.problems)
    for suite in [root, *root]:
        for attribute, tag in _COUNTED.items():
            suite.set(attribute, str(sum(1 for _ in suite.iter(tag))))
    ET.indent(root)
    yield ET.tostring(root, encoding="us-ascii", xml_declaration=True).decode() + "\n"


def _add_finding(suite: ET.Element, finding: Finding) -> None:
    name = f"{finding.code} {finding.name} at {finding.shown}"
    path = visible(finding.path)
    case = ET.SubElement(suite, "testcase", classname=path, name=name, line=str(finding.file_line))
    message = visible(" ".join(finding.message.split()))
    explained = visible(" ".join(finding.explained.split()))
    if is_note(finding):
        ET.SubElement(case, "skipped", type="note", message=f"note: {explained}")
        return
    failure = ET.SubElement(case, "failure", type=finding.severity, message=message)
    failure.text = f"{path}:{finding.shown}: {explained}"


def _add_run(suite: ET.Element, problems: Sequence[str]) -> None:
    for problem in problems:
        case = ET.SubElement(suite, "testcase", classname="rocmlint", name=visible(problem))
        ET.SubElement(case, "error", message=visible(problem))
    if not problems:
        ET.SubElement(suite, "testcase", classname="rocmlint", name="run")
