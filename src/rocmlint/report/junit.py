"""JUnit's XML, for the many systems that show test results: each finding is a failed test."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - XML has no colours
    """Yield a suite for each file with findings, and one for the run itself."""
    root = ET.Element("testsuites", name="rocmlint")
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        suite = ET.SubElement(root, "testsuite", name=visible(path))
        for finding in findings:
            _add_finding(suite, finding)
    _add_run(ET.SubElement(root, "testsuite", name="rocmlint"), report.problems)
    for suite in [root, *root]:
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            suite.set(attribute, str(sum(1 for _ in suite.iter(tag))))
    ET.indent(root)
    yield ET.tostring(root, encoding="us-ascii", xml_declaration=True).decode() + "\n"


def _add_finding(suite: ET.Element, finding: Finding) -> None:
    name = f"{finding.code} {finding.name} at {finding.shown}"
    path = visible(finding.path)
    case = ET.SubElement(suite, "testcase", classname=path, name=name, line=str(finding.file_line))
    message = visible(" ".join(finding.message.split()))
    failure = ET.SubElement(case, "failure", type=finding.severity, message=message)
    explained = visible(" ".join(finding.explained.split()))
    failure.text = f"{path}:{finding.shown}: {explained}"


def _add_run(suite: ET.Element, problems: Sequence[str]) -> None:
    for problem in problems:
        case = ET.SubElement(suite, "testcase", classname="rocmlint", name=visible(problem))
        ET.SubElement(case, "error", message=visible(problem))
    if not problems:
        ET.SubElement(suite, "testcase", classname="rocmlint", name="run")
