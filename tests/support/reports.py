"""A report of some findings, and how each format writes it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.findings import Claim, Edit, Finding, Fix
from rocmlint.report import Report, write

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"


SCRIPT = """import torch

def step(batch):
    loss = model(batch)
    torch.cuda.synchronize()
    image = Image.fromarray(
        batch["pixels"],
    )
    return loss
"""


SYNC = Finding(
    "src/train.py", 5, 5, 5, 29, "ROC501", "sync-in-training-loop",
    "`torch.cuda.synchronize()` makes every step wait for the GPU",
    help="Delete it, or call it once after the loop.",
    fix=Fix("Take away the call", (Edit(5, 1, 6, 1, ""),), safe=True),
    claims=(Claim("fast-path", "sdpa", "a fast kernel runs", "rocmlint verify probe sdpa"),),
)  # fmt: skip


IMAGE = Finding(
    "src/train.py", 6, 13, 8, 6, "ROC602", "exif-transpose-no-effect", "No EXIF is left",
    "warning", fix=Fix("Keep the image", (Edit(6, 13, 8, 6, "batch"),)),
)  # fmt: skip


UNREADABLE = Finding(
    "src/old.py", 1, 1, 1, 1, "ROC900", "unreadable-file", "This file cannot be decoded."
)


REPORT = Report([UNREADABLE, SYNC, IMAGE], 12, ["cache: no space"], {"src/train.py": SCRIPT})


NOTHING = Report([], 12)


def rendered(name: str, report: Report = REPORT, *, color: bool = False) -> str:
    stream = io.StringIO()
    write(name, report, stream, color=color)
    return stream.getvalue()


SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "required": ["tool", "columnKind", "results", "invocations"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {"driver": {"required": ["name", "rules"]}},
                    },
                    "columnKind": {"const": "unicodeCodePoints"},
                    "originalUriBaseIds": {
                        "required": ["%SRCROOT%"],
                        "additionalProperties": {
                            "required": ["uri"],
                            "properties": {"uri": {"pattern": "^file:///.*/$"}},
                        },
                    },
                    "invocations": {"items": {"required": ["executionSuccessful"]}},
                    "results": {"items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "message": {"required": ["text"], "properties": {"text": {"type": "string"}}},
        "place": {
            "required": ["uri"],
            "properties": {"uri": {"pattern": r"^[A-Za-z0-9%/._~!$&'()*+,;=@:-]+$"}},
        },
        "region": {
            "required": ["startLine", "startColumn", "endLine", "endColumn"],
            "additionalProperties": {"type": "integer", "minimum": 1},
        },
        "result": {
            "required": ["ruleId", "ruleIndex", "message", "locations"],
            "properties": {
                "level": {"enum": ["error", "warning", "note"]},
                "message": {"$ref": "#/$defs/message"},
                "locations": {
                    "minItems": 1,
                    "items": {
                        "properties": {
                            "physicalLocation": {
                                "required": ["artifactLocation", "region"],
                                "properties": {
                                    "artifactLocation": {"$ref": "#/$defs/place"},
                                    "region": {"$ref": "#/$defs/region"},
                                },
                            }
                        }
                    },
                },
                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                "fixes": {
                    "items": {
                        "required": ["artifactChanges"],
                        "properties": {
                            "description": {"$ref": "#/$defs/message"},
                            "artifactChanges": {
                                "minItems": 1,
                                "items": {
                                    "required": ["artifactLocation", "replacements"],
                                    "properties": {
                                        "artifactLocation": {"$ref": "#/$defs/place"},
                                        "replacements": {
                                            "minItems": 1,
                                            "items": {
                                                "required": ["deletedRegion"],
                                                "properties": {
                                                    "deletedRegion": {"$ref": "#/$defs/region"},
                                                    "insertedContent": {"required": ["text"]},
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    }
                },
            },
        },
    },
}


GITLAB = {
    "type": "array",
    "items": {
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "properties": {"lines": {"required": ["begin"]}},
            },
        },
    },
}


def _message(required: str, **properties: object) -> dict[str, object]:
    """Return the schema of a message of protobuf, whose readers refuse unknown fields."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_RANGE = {"$ref": "#/$defs/range"}
_COUNTED = {"type": "integer", "minimum": 1}
RDJSON = {
    **_message(
        "diagnostics source",
        source=_message("name", name=_TEXT, url=_TEXT),
        diagnostics={
            "type": "array",
            "items": _message(
                "message location",
                message=_TEXT,
                location=_message("path", path=_TEXT, range=_RANGE),
                severity={"enum": ["ERROR", "WARNING", "INFO"]},
                code=_message("value", value=_TEXT, url=_TEXT),
                suggestions={
                    "type": "array",
                    "items": _message("range text", range=_RANGE, text=_TEXT),
                },
            ),
        },
    ),
    "$defs": {
        "range": _message(
            "start", start={"$ref": "#/$defs/position"}, end={"$ref": "#/$defs/position"}
        ),
        "position": _message("line", line=_COUNTED, column=_COUNTED),
    },
}
"""Reviewdog's ``DiagnosticResult``, with what a reader needs as required."""


JSON = json.loads((SCHEMAS / "report.json").read_text())


LINE = {"$ref": "#/$defs/line", "$defs": JSON["$defs"]}


def check_json(name: str, output: str) -> Any:
    schema = {"json": JSON, "sarif": SARIF, "gitlab": GITLAB, "rdjson": RDJSON}[name]
    document = json.loads(output)
    Draft202012Validator(schema).validate(document)
    output.encode("ascii")
    return document


def junit(report: Report) -> ET.Element:
    return ET.fromstring(rendered("junit", report))  # noqa: S314 - it is our own
