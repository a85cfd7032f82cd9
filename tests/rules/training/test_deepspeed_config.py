"""Which versions of DeepSpeed read a configuration, and what each of them refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.published.deepspeed import known_to, releases, words
from rocmlint.published.deepspeed_sources import read_model

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

UNKNOWN = '{"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}}\n'


def lint(project: Project, *arguments: str) -> list[dict[str, Any]]:
    run = project.run("--select", "ROC509", "--output-format", "json", *arguments)
    found: list[dict[str, Any]] = json.loads(run.stdout)["findings"]
    return found


def test_a_setting_is_refused_by_a_pinned_version_that_does_not_have_it(project: Project) -> None:
    project.write("zero3.json", UNKNOWN)
    project.write("requirements.txt", "deepspeed==0.9.5\n")
    (found,) = lint(project)
    assert found["message"] == (
        "DeepSpeed 0.9.5 refuses `zero_hpz_partition_size` in `zero_optimization`: "
        "it has no such setting"
    )
    assert found["severity"] == "error"
    assert "requirements.txt" in found["help"]


@pytest.mark.parametrize("pin", ["deepspeed==0.16.4", "deepspeed", "deepspeed==0.5.0"])
def test_it_is_not_by_those_that_have_it_or_are_too_old_to_tell(project: Project, pin: str) -> None:
    project.write("zero3.json", UNKNOWN)
    project.write("requirements.txt", f"{pin}\n")
    assert lint(project) == []


def test_what_rests_on_the_newest_release_is_a_warning_and_says_so(project: Project) -> None:
    project.write("zero2.json", '{"zero_optimization": {"stage": 2, "overlap_com": true}}\n')
    (found,) = lint(project)
    assert found["severity"] == "warning"
    assert "newest release" in found["help"]


@pytest.mark.parametrize("text", ["{x}", "a}b", "{0.__class__}", "{}", "%{x}"])
def test_braces_in_a_configuration_are_shown_as_they_are(project: Project, text: str) -> None:
    settings = {"zero_optimization": {"stage": 2, "overlap_comm": text}}
    project.write("zero2.json", json.dumps(settings))
    (found,) = lint(project)
    assert text in found["message"]


def test_a_word_that_no_release_has_is_an_error_whatever_may_be_installed(
    project: Project,
) -> None:
    project.write("zero2.json", '{"zero_optimization": {"stage": 2, "overlap_com": true}}\n')
    project.write("requirements.txt", "deepspeed>=0.14\n")
    assert [each["severity"] for each in lint(project)] == ["error"]


def test_a_word_that_older_releases_had_may_be_a_warning(project: Project) -> None:
    project.write("ds_config.json", '{"zero_optimization": {}, "bf16": {"loss_scale": 0}}\n')
    project.write("requirements.txt", "deepspeed>=0.14\n")
    assert [each["severity"] for each in lint(project)] == ["warning"]


def test_an_environment_says_what_its_deepspeed_knows(project: Project, tmp_path: Path) -> None:
    site = tmp_path / "site"
    package = site / "deepspeed" / "runtime" / "zero"
    package.mkdir(parents=True)
    (package / "config.py").write_text(
        "class DeepSpeedZeroConfig(DeepSpeedConfigModel):\n"
        "    stage: int = 0\n"
        "    acme_overlap: bool = False\n"
    )
    (site / "deepspeed-9.9.dist-info").mkdir()
    (site / "deepspeed-9.9.dist-info" / "METADATA").write_text("Name: deepspeed\nVersion: 9.9\n")
    project.write(
        "zero2.json",
        '{"zero_optimization": {"stage": 2, "acme_overlap": true, "overlap_comm": true}}\n',
    )
    (found,) = lint(project, "--environment", str(site))
    assert "DeepSpeed 9.9 refuses `overlap_comm`" in found["message"]


def test_a_suppression_in_json_is_a_comment(project: Project) -> None:
    project.write(
        "zero2.json",
        '{"zero_optimization": {\n// # rocmlint: ignore[ROC509] a fork has it\n"x": 1\n}}\n',
    )
    assert lint(project) == []


# What the sources say


SOURCES = """\
STEPS = "steps_per_print"


class Stage(int, Enum):
    one = 1
    two = 2


class Inner(DeepSpeedConfigModel):
    path: str = ""


class Outer(DeepSpeedConfigModel):
    \"\"\"Docs.\"\"\"
    stage: Stage = 0
    size: int = Field(pp_int(5e8), ge=0, alias="bucket_size")
    inner: Optional[Inner] = None
    anything: Union[int, str] = 0
    pairs: Dict[str, int] = {}

    def check(self):
        self.size: int = 1


def read(param_dict):
    get(param_dict, STEPS, 1)
    param_dict.get("one_of_ours", {})
    if "another" in param_dict.keys():
        return self._param_dict["a_third"]
"""


def test_the_sources_say_which_settings_there_are_and_of_what_type() -> None:
    model = read_model([SOURCES])
    assert model["keys"] == ["a_third", "another", "one_of_ours", "steps_per_print"]
    assert model["classes"] == {
        "Inner": {"path": "str"},
        "Outer": {
            "stage": "one of: 1, 2",
            "size": "int",
            "bucket_size": "int",
            "inner": "Inner?",
            "anything": "any",
            "pairs": "dict",
        },
    }


def test_every_release_has_zero_and_names_what_people_write() -> None:
    for settings in releases().values():
        section = settings.section("zero_optimization")
        assert section is not None
        assert section["overlap_comm"] in {"bool", "bool?"}
        assert section["stage3_prefetch_bucket_size"] == "int"
        assert {"train_batch_size", "gradient_accumulation_steps"} <= settings.keys
    assert {"elasticity", "communication_data_type", "zero_optimization"} <= words()


def test_a_version_knows_what_a_release_on_either_side_of_it_knows() -> None:
    read = list(releases())
    assert len(known_to(read[-1])) == 2
    assert known_to(read[-1])[0] is known_to(read[-1])[1]
    assert known_to(type(read[0])("0.1")) == ()
    assert len(known_to(type(read[0])("99"))) == 1
