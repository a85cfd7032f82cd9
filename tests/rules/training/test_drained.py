"""A meter of the project that reads the loss or the norm waits as long as a synchronize does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

TRAIN = """\
import torch

import utils


def train(model, loader, optimizer):
    meter = utils.Meter()
    for batch in loader:
        loss = model(batch).mean()
        loss_value = loss.item()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        torch.cuda.synchronize()
        meter.update({given})
"""
METER = """\
class Meter:
    def update(self, **values):
        for name, value in values.items():
            self.values[name] = {kept}

    def mean(self):
        return self.total.item()
"""


def tiers(project: Project) -> list[tuple[str, str]]:
    found = json.loads(project.run("--output-format", "json").stdout)["findings"]
    return [(each["code"], each["severity"]) for each in found]


def write(project: Project, given: str, kept: str) -> None:
    project.write(".git/HEAD", "")
    project.write("train.py", TRAIN.format(given=given))
    project.write("utils.py", METER.format(kept=kept))


def test_a_wait_before_a_meter_that_reads_what_it_is_given_is_a_note(project: Project) -> None:
    write(project, "norm=norm", "value.item()")
    assert tiers(project) == [("ROC501", "note")]


def test_a_meter_may_be_defined_in_the_file_itself(project: Project) -> None:
    train = TRAIN.format(given="norm=norm").replace("import utils\n", METER.format(kept="float(0)"))
    text = train.replace("utils.Meter()", "Meter()")
    project.write("train.py", text)
    assert tiers(project) == [("ROC501", "warning")]
    project.write("train.py", text.replace("float(0)", "value.item()"))
    assert tiers(project) == [("ROC501", "note")]


@pytest.mark.parametrize(
    ("given", "kept"),
    [("norm=norm", "value.detach()"), ("loss=loss_value", "value.item()")],
    ids=["kept on the device", "read before"],
)
def test_a_wait_is_reported_before_a_meter_that_makes_nobody_wait(
    project: Project, given: str, kept: str
) -> None:
    write(project, given, kept)
    assert tiers(project) == [("ROC501", "warning")]


def test_a_cached_finding_goes_with_what_the_meter_does(project: Project) -> None:
    write(project, "norm=norm", "value.detach()")
    assert tiers(project) == [("ROC501", "warning")]
    write(project, "norm=norm", "value.item()")
    assert tiers(project) == [("ROC501", "note")]
