"""``rocmlint verify model config``: the keys of a file against those of a dataclass."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMA = """\
from __future__ import annotations
from dataclasses import dataclass, field

@dataclass
class Optimizer:
    lr: float
    betas: list[float] = field(default_factory=lambda: [0.9, 0.95])

@dataclass
class Training:
    epochs: int
    optimizer: Optimizer
    batch_size: int = 4
    name: str | None = None
"""
HEALTHY = {"epochs": 3, "optimizer": {"lr": 1e-5}, "batch_size": 4}
MISSING = "no key of schema:Training is missing"
UNKNOWN = "each key is a field of schema:Training"
DEFAULT = "each key has one default"
TYPES = "each value has the type of its field in schema:Training"


def verdicts(project: Project, file: str, *flags: str) -> dict[str, tuple[str, str]]:
    project.write("schema.py", SCHEMA)
    command = ("verify", "model", "config", file, "--schema", "schema:Training", *flags)
    ran = project.run(*command, "--output-format", "json")
    assert ran.returncode in {0, 1, 3}, ran.stderr
    return {
        each["claim"]: (each["verdict"], " ".join(it["value"] for it in each["evidence"]))
        for each in json.loads(ran.stdout)["results"]
    }


def of(project: Project, *flags: str, **changed: Any) -> dict[str, tuple[str, str]]:
    project.write("train.json", json.dumps({**HEALTHY, **changed}))
    return verdicts(project, "train.json", *flags)


def test_a_file_with_the_keys_of_its_schema_is_proven(project: Project) -> None:
    found = of(project)
    assert {verdict for verdict, _ in found.values()} == {"proven"}
    assert "optimizer.betas = [0.9, 0.95]" in found[MISSING][1]


def test_a_missing_key_is_contradicted_also_in_a_section(project: Project) -> None:
    found = of(project, optimizer={"betas": [0.9, 0.95]})
    assert found[MISSING] == (
        "contradicted",
        "optimizer.lr name = None",
    )


def test_a_default_in_the_code_is_a_missing_key_where_none_are_wanted(project: Project) -> None:
    assert of(project, "--no-defaults")[MISSING][0] == "contradicted"


def test_an_unknown_key_is_contradicted_with_the_nearest_right_one(project: Project) -> None:
    verdict, evidence = of(project, batch_sise=8)[UNKNOWN]
    assert (verdict, evidence) == ("contradicted", "batch_sise; did you mean 'batch_size'?")


def test_two_defaults_of_one_key_are_contradicted(project: Project) -> None:
    verdict, evidence = of(project, batch_size=8)[DEFAULT]
    assert verdict == "contradicted"
    assert "batch_size: 8 in the file, 4 in schema:Training" in evidence


def test_a_value_of_another_type_is_contradicted(project: Project) -> None:
    assert of(project, epochs="3")[TYPES] == ("contradicted", "epochs: '3' is str, not int")


def test_an_int_is_a_float_and_none_is_optional(project: Project) -> None:
    assert of(project, optimizer={"lr": 1}, name=None)[TYPES][0] == "proven"


def test_a_key_that_is_there_twice_is_contradicted(project: Project) -> None:
    project.write("train.json", '{"epochs": 3, "epochs": 4, "optimizer": {"lr": 0.1}}')
    verdict, evidence = verdicts(project, "train.json")[DEFAULT]
    assert (verdict, "epochs" in evidence) == ("contradicted", True)


def test_yaml_is_read_as_the_job_reads_it(project: Project) -> None:
    pytest.importorskip("yaml")
    project.write("train.yaml", "epochs: 3\nepochs: 3\noptimizer:\n  lr: 1e-5\n")
    found = verdicts(project, "train.yaml")
    assert found[TYPES][1] == "optimizer.lr: '1e-5' is str, not float"
    assert found[DEFAULT][0] == "contradicted"


def test_toml_and_one_section_of_a_file(project: Project) -> None:
    project.write("all.toml", "[a.training]\nepochs = 3\noptimizer = {lr = 0.1}\n")
    found = verdicts(project, "all.toml", "--section", "a.training")
    assert {verdict for verdict, _ in found.values()} == {"proven"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("broken.json", "{", "cannot be read as json"),
        ("list.json", "[1]", "holds list instead of keys"),
        ("train.ini", "", "must be one of .json, .toml, .yaml, .yml"),
        ("latin.json", b"\xe4", "not UTF-8"),
        ("absent.json", None, "cannot be read: No such file or directory"),
        ("deep.json", "[" * 100_000, "cannot be read as json"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    project: Project, name: str, text: str | bytes | None, message: str
) -> None:
    project.write("schema.py", SCHEMA)
    if text is not None:
        (project.root / name).write_bytes(text.encode() if isinstance(text, str) else text)
    own = ("--python", sys.executable)
    ran = project.run("verify", "model", "config", name, "--schema", "schema:Training", *own)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert message in ran.stderr


@pytest.mark.parametrize(
    ("fields", "text", "reason"),
    [
        ("pass", "{}", "schema:Training has no fields, so there is nothing to compare"),
        ("pass", '{"a": 1}', "schema:Training has no fields, so there is nothing to compare"),
        ("a: int = 1", "{}", "the file has no keys, so there is nothing to compare"),
        ("a: object", '{"a": 1}', "no field of schema:Training for a value of the file has a "),
    ],
)
def test_nothing_to_compare_proves_nothing(
    project: Project, fields: str, text: str, reason: str
) -> None:
    schema = f"from dataclasses import dataclass\n@dataclass\nclass Training:\n    {fields}\n"
    project.write("schema.py", schema)
    project.write("train.json", text)
    command = ("verify", "model", "config", "train.json", "--schema", "schema:Training")
    ran = project.run(*command, "--output-format", "json")
    assert ran.returncode == 3, ran.stderr
    results = json.loads(ran.stdout)["results"]
    assert any(each["reason"].startswith(reason) for each in results), results


def test_a_pipe_is_not_waited_for(project: Project) -> None:
    project.write("schema.py", SCHEMA)
    os.mkfifo(project.root / "train.json")
    ran = project.run("verify", "model", "config", "train.json", "--schema", "schema:Training")
    assert (ran.returncode, "not a regular file" in ran.stderr) == (2, True)


def test_a_schema_has_to_be_one(project: Project) -> None:
    project.write("schema.py", "Training = 3\n")
    project.write("train.json", "{}")
    ran = project.run("verify", "model", "config", "train.json", "--schema", "schema:Training")
    assert (ran.returncode, "is not a dataclass" in ran.stderr) == (2, True)
