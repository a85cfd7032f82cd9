"""One page for people in a single file: findings, and what else is known of a job.

The findings are data in the page, which its script shows; without scripts they are a list. No text
of a project is code in it: what is shown is text, and the policy of the page lets only its own
script run.
"""

from __future__ import annotations

import os
from base64 import b64encode
from hashlib import sha256
from string import Template
from typing import TYPE_CHECKING

from rocmlint.report.formats.html.attached import sections
from rocmlint.report.formats.html.findings import as_json, as_list
from rocmlint.report.formats.html.overview import overview
from rocmlint.report.summary import number_of
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report

_FOLDER = os.path.dirname(__file__)
_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - the reader chooses
    """Yield the page."""
    style, script = _file("page.css"), _file("page.js")
    yield Template(_file("page.html")).substitute(
        policy=_POLICY.format(style=_hash(style), script=_hash(script)),
        title=f"rocmlint: {number_of(report.findings)}",
        style=style,
        script=script,
        version=__version__,
        overview=overview(report),
        attached=sections(report.attached),
        listed=as_list(report.findings),
        data=as_json(report),
    )


def _file(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8", newline="\n") as file:
        return file.read()


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
