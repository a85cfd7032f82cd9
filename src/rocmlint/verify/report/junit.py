"""JUnit's XML: a claim is a test, contradicted is a failure, unproven is skipped and says why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.result import Result

_TAGS = {"contradicted": "failure", "unproven": "skipped"}


def render(
    results: Sequence[Result],
    *,
    color: bool,  # noqa: ARG001 - no colours
    width: int | None,  # noqa: ARG001 - no lines that need to fit
) -> Iterator[str]:
    """Yield a suite for each check."""
    root = ET.Element("testsuites", name="rocmlint verify")
    for check, group in groupby(results, key=lambda each: each.check):
        suite = ET.SubElement(root, "testsuite", name=check)
        for each in group:
            _add(suite, each)
    for suite in [root, *root]:
        for attribute, tag in (
            ("tests", "testcase"),
            ("failures", "failure"),
            ("skipped", "skipped"),
        ):
            suite.set(attribute, str(sum(1 for _ in suite.iter(tag))))
    ET.indent(root)
    yield ET.tostring(root, encoding="us-ascii", xml_declaration=True).decode() + "\n"


def _add(suite: ET.Element, result: Result) -> None:
    name = f"{visible(result.subject)}: {visible(result.claim)}"
    case = ET.SubElement(suite, "testcase", classname=result.check, name=name)
    if result.verdict == "proven":
        return
    why = ET.SubElement(case, _TAGS[result.verdict], message=visible(result.reason))
    lines = [f"do: {result.action}", *(f"{each.name}: {each.value}" for each in result.evidence)]
    why.text = "\n".join(visible(line) for line in lines)
