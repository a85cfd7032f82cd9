"""Barriers are followed through the modules of the project, and found anew where those change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

TRAIN = """\
{imported}


def train(model, loader, optimizer):
    for batch in loader:
        model(batch).mean().backward()
        optimizer.step()
        barrier()
"""
RANKS = """\
import torch.distributed as dist


def barrier():
    if dist.is_initialized():
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("imported", "files"),
    [
        ("from .ranks import barrier", {"job/ranks.py": RANKS}),
        ("from . import barrier", {"job/__init__.py": RANKS}),
        ("from ranks import barrier", {"job/ranks.py": RANKS}),
        ("from utils.ranks import barrier", {"utils/ranks.py": RANKS}),
        ("from ..utils.ranks import barrier", {"utils/ranks.py": RANKS}),
        (
            "from utils import barrier",
            {"utils/__init__.py": "from .ranks import barrier\n", "utils/ranks.py": RANKS},
        ),
        (
            "from utils import meet as barrier",
            {
                "utils/__init__.py": "from .ranks import barrier as meet\n",
                "utils/ranks.py": RANKS,
            },
        ),
    ],
)
def test_a_function_of_another_module_that_only_waits_is_a_barrier(
    project: Project, imported: str, files: dict[str, str]
) -> None:
    project.write(".git/HEAD", "")
    project.write("job/train.py", TRAIN.format(imported=imported))
    for name, text in files.items():
        project.write(name, text)
    assert project.findings() == [("job/train.py", "ROC502")]


@pytest.mark.parametrize(
    "text",
    [
        RANKS.replace("        dist.barrier()", "        dist.barrier()\n        save()"),
        "from .ranks import barrier\n",
        "from .other import barrier\n",
        "def barrier():\n    barrier()\n",
        "def barrier(:\n",
        "barrier = print\n",
        "",
    ],
    ids=["does more", "imports itself", "not there", "calls itself", "broken", "a name", "empty"],
)
def test_another_function_is_no_barrier(project: Project, text: str) -> None:
    project.write(".git/HEAD", "")
    project.write("job/train.py", TRAIN.format(imported="from .ranks import barrier"))
    project.write("job/ranks.py", text)
    assert "job/train.py" not in [path for path, _ in project.findings()]


def test_a_cached_finding_goes_with_what_the_other_module_does(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("job/train.py", TRAIN.format(imported="from .ranks import barrier"))
    project.write("job/ranks.py", RANKS)
    assert project.findings() == [("job/train.py", "ROC502")]
    project.write("job/ranks.py", RANKS.replace("dist.barrier()", "save()"))
    assert project.findings() == []
