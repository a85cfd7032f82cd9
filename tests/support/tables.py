"""Arrow tables of source files, and the findings in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import rocmlint

if TYPE_CHECKING:
    from pathlib import Path

pa = pytest.importorskip("pyarrow", reason="rocmlint[arrow] is not installed")

DROPPED = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
REMOVED = "from transformers.utils import LossKwargs\n"
Row = tuple[str | None, str | None, str | bytes | None]


def table(*rows: Row) -> Any:
    repositories, paths, contents = zip(*rows, strict=True)
    content = [each.encode() if isinstance(each, str) else each for each in contents]
    columns = {"repository": repositories, "path": paths, "content": content}
    return pa.table({name: pa.array(each) for name, each in columns.items()})


def of_tree(root: Path, repository: str) -> Any:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return table(*((repository, str(p.relative_to(root)), p.read_bytes()) for p in files))


def lint(*rows: Row, **options: Any) -> list[tuple[Any, ...]]:
    """Return repository, path, and the code or what the problem is."""
    found = rocmlint.lint_table(table(*rows), **options).to_pylist()
    return [(each["repository"], each["path"], each["code"] or each["problem"]) for each in found]
