"""What waits in a step of a DeepSpeed engine is an error, in other steps a warning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

MADE_HERE = """\
    engine, optimizer, *_ = deepspeed.initialize(model=model, config=config)
    for batch in loader:
        loss = engine(batch)
        engine.backward(loss)
        engine.step()
"""
GIVEN = """\
    for batch in loader:
        model.backward(model(batch))
        model.step()
"""
PIPELINE = """\
    model, *_ = deepspeed.initialize(model=model, config=config)
    for batch in range(100):
        model.train_batch(loader)
"""
OTHER_ENGINE = """\
    engine = make_engine(model)
    for batch in loader:
        engine.backward(engine(batch))
        engine.step()
"""
OWN_OPTIMIZER = """\
    engine, optimizer, *_ = deepspeed.initialize(model=model, config=config)
    for batch in loader:
        engine(batch).backward()
        optimizer.step()
"""
TRAIN = """\
import deepspeed
import torch


def train(model, loader, config):
{step}        torch.cuda.synchronize()
        torch.distributed.barrier()
"""


def lint(project: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(project.run("--output-format", "json").stdout)[
        "findings"
    ]
    return found


@pytest.mark.parametrize(
    ("step", "engine"), [(MADE_HERE, "engine"), (GIVEN, "model"), (PIPELINE, "model")]
)
def test_a_wait_in_a_step_of_a_deepspeed_engine_is_an_error(
    project: Project, step: str, engine: str
) -> None:
    project.write("train.py", TRAIN.format(step=step))
    found = lint(project)
    assert [(each["code"], each["severity"]) for each in found] == [
        ("ROC501", "error"),
        ("ROC502", "error"),
    ]
    assert all(f"DeepSpeed engine `{engine}`" in each["message"] for each in found)


@pytest.mark.parametrize("step", [OTHER_ENGINE, OWN_OPTIMIZER])
def test_a_wait_in_another_step_is_a_warning(project: Project, step: str) -> None:
    project.write("train.py", TRAIN.format(step=step))
    assert {each["severity"] for each in lint(project)} == {"warning"}


def test_a_step_of_an_engine_without_deepspeed_is_a_warning(project: Project) -> None:
    code = TRAIN.format(step=GIVEN).replace("import deepspeed\n", "")
    project.write("train.py", code)
    assert {each["severity"] for each in lint(project)} == {"warning"}
