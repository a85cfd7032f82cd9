"""The columns of a table of findings."""

from __future__ import annotations

import pyarrow as pa

_PLACE = [
    ("cell", pa.int32()),
    ("line", pa.int32()),
    ("column", pa.int32()),
    ("end_line", pa.int32()),
    ("end_column", pa.int32()),
]
_EDIT = pa.struct([*_PLACE, ("replacement", pa.string())])
_FIX = pa.struct([("title", pa.string()), ("safe", pa.bool_()), ("edits", pa.list_(_EDIT))])
SCHEMA = pa.schema(
    [
        ("repository", pa.string()),
        ("path", pa.string()),
        *_PLACE,
        ("code", pa.string()),
        ("name", pa.string()),
        ("severity", pa.string()),
        ("message", pa.string()),
        ("help", pa.string()),
        ("url", pa.string()),
        ("fingerprint", pa.string()),
        ("fix", _FIX),
        ("problem", pa.string()),
    ]
)
"""The columns of a table of findings: the repository, and the fields of the JSON report.

A row is a finding or a problem. Of a problem ``problem`` says in one line what could not be done,
``path`` names the file if it is about one, and all else is null.
"""
