"""Which version of a package counts for a file, and what the rules on names say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from rocmlint.config import Configuration
from rocmlint.errors import ConfigError
from rocmlint.lint.analyse import Linter
from rocmlint.lint.document import Document
from rocmlint.lint.environment import site_folders
from rocmlint.lint.installed_names import InstalledNames
from rocmlint.lint.versions import Candidate
from rocmlint.published import requirements as published
from rocmlint.published.names import names_of
from rocmlint.rules.dependencies import _replacements
from rocmlint.rules.dependencies._published_names import has, has_successor
from rocmlint.rules.dependencies._uses import uses

if TYPE_CHECKING:
    from rocmlint.findings import Finding

GONE = "from transformers.utils import LossKwargs\n"  # until 4.53
NEW = "from transformers.utils import TransformersKwargs\n"  # since 4.54


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def candidates(name: str = "job.py", package: str = "transformers") -> tuple[Candidate, ...]:
    return Document(str(Path(name).absolute()), "").project.versions(package)


def versions(name: str = "job.py") -> list[str]:
    return [str(each.version) for each in candidates(name)]


def lint(text: str, name: str = "job.py", **options: str) -> list[Finding]:
    path = write(name, text).absolute()
    settings = Configuration({"select": ["ROC204", "ROC205", "ROC207"], **options})
    linter = Linter(settings.settings_for(str(path.parent)))
    return list(linter.analyse_text(str(path), text).findings)


def install(folder: str, version: str, **modules: str) -> None:
    """Make a folder with transformers in it, as pip leaves it."""
    write(f"{folder}/transformers-{version}.dist-info/METADATA", "")
    write(f"{folder}/transformers/__init__.py", "")
    for module, text in modules.items():
        write(f"{folder}/transformers/{module}.py", text)


# Which version counts


def test_a_pin_counts_as_it_is() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    assert versions() == ["4.48.1"]
    assert candidates()[0].certain


def test_of_a_range_the_newest_release_in_it_counts() -> None:
    write("requirements.txt", "transformers>=4.48,<4.50\n")
    assert versions() == ["4.49.0"]
    assert candidates()[0].certain


def test_an_open_requirement_is_not_certain() -> None:
    write("requirements.txt", "transformers>=4.48\n")
    (found,) = candidates()
    assert not found.certain
    assert found.lowest == Version("4.48")


def test_without_any_requirement_the_newest_release_counts() -> None:
    (found,) = candidates()
    assert not found.certain
    assert "no requirement of transformers is declared" in found.said


def test_a_constraint_holds_for_each_group() -> None:
    write("requirements.txt", "-c constraints.txt\ntransformers\n")
    write("constraints.txt", "transformers<4.52\n")
    assert versions() == ["4.51.3"]


def test_what_is_always_required_holds_in_each_extra() -> None:
    write(
        "pyproject.toml",
        '[project]\nname="job"\ndependencies=["transformers<4.52"]\n'
        '[project.optional-dependencies]\nold=["transformers<4.50"]\n',
    )
    assert versions() == ["4.49.0", "4.51.3"]


def test_markers_that_exclude_each_other_are_two_candidates() -> None:
    write(
        "requirements.txt",
        "transformers<4.50; python_version < '3.10'\ntransformers<4.52; python_version >= '3.10'\n",
    )
    assert versions() == ["4.49.0", "4.51.3"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git+https://github.com/huggingface/transformers.git@v4.49.0", ["4.49.0"]),
        ("git+https://github.com/huggingface/transformers.git", []),
        ("git+https://github.com/huggingface/transformers.git@8ee50537fe7613b8", []),
    ],
)
def test_of_a_url_only_a_tag_tells_the_version(url: str, expected: list[str]) -> None:
    write("requirements.txt", f"transformers @ {url}\n")
    assert versions() == expected


def test_requirements_that_no_release_meets_tell_nothing() -> None:
    write("requirements.txt", "transformers>=4.48,<4.40\n")
    assert versions() == []


def test_the_nearest_folder_with_a_requirement_counts() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("apps/chat/requirements.txt", "transformers==4.50.0\n")
    assert versions("apps/chat/job.py") == ["4.50.0"]
    assert versions("apps/job.py") == ["4.48.1"]


def test_another_requirement_may_rule_the_newest_releases_out() -> None:
    write("requirements.txt", "transformers\nhuggingface-hub<1.0\n")
    (found,) = candidates()
    assert found.version < Version("5.0")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n'),
        ("poetry.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\npython = ">=3"\n'),
        ("pdm.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n'),
        ("Pipfile.lock", '{"default": {"transformers": {"version": "==4.48.1"}}}'),
    ],
)
def test_a_lock_file_says_more_than_a_requirement(name: str, text: str) -> None:
    write("requirements.txt", "transformers>=4.40\n")
    write(name, text)
    (found,) = candidates()
    assert (str(found.version), found.certain) == ("4.48.1", True)
    assert name in found.said


def test_a_lock_file_that_the_requirements_beside_it_exclude_does_not_count() -> None:
    write("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n')
    write("requirements.txt", "transformers>=4.52,<4.54\n")
    assert versions() == ["4.53.3"]


def test_a_lock_file_of_an_inner_folder_is_named_by_its_path() -> None:
    write("server/poetry.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n')
    assert candidates("server/job.py")[0].said == "locked in server/poetry.lock,"


@given(st.text())
def test_a_broken_lock_file_is_as_none(text: str) -> None:
    for name in ("uv.lock", "Pipfile.lock"):
        Path(name).write_bytes(
            f'{text}[[package]]\nname = "transformers'.encode("utf-8", "replace")
        )
    assert all(not each.certain for each in candidates())


def test_an_environment_says_more_than_a_lock_file() -> None:
    write("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.48.1"\n')
    install("venv/lib/python3.11/site-packages", "4.57.6", utils="")
    (finding,) = lint(GONE, environment="venv")
    assert "4.57.6, installed in venv," in finding.message
    assert finding.severity == "error"


def test_a_file_among_installed_packages_runs_with_what_lies_beside_it() -> None:
    install("site", "4.57.6")
    write("site/peft/__init__.py", "")
    (found,) = candidates("site/peft/utils/job.py")
    assert str(found.version) == "4.57.6"


def test_an_unpacked_wheel_says_what_it_requires() -> None:
    write("job-1.0.dist-info/METADATA", "Requires-Dist: transformers<4.50\n\nText\n")
    write("job/deep/inside.py", "")
    Path(".git").rmdir()
    assert versions("job/deep/inside.py") == ["4.49.0"]


def test_a_requirement_of_the_file_itself_is_told_so() -> None:
    text = '# /// script\n# dependencies = ["transformers==4.57.6"]\n# ///\n'
    (finding,) = lint(f"{text}{GONE}")
    assert "transformers 4.57.6, pinned in this file," in finding.message


# What is said where no tool reads it


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("README.md", "```bash\npip install -q transformers==4.48.1 datasets\n```\n", ["4.48.1"]),
        ("README.md", "Run `pip install \\\n    transformers==4.48.1` first.\n", ["4.48.1"]),
        ("INSTALL.md", "pip install transformers==4.48.1\n", ["4.48.1"]),
        ("Dockerfile", "FROM rocm/pytorch\nRUN pip install transformers==4.48.1\n", ["4.48.1"]),
        ("setup.py", '_deps = ["trl==0.18.0", "transformers[torch]==4.48.1"]\n', ["4.48.1"]),
        (
            "README.md",
            "pip install transformers==4.48.1\n\nFor Qwen: pip install transformers==4.50.0\n",
            ["4.48.1", "4.50.0"],
        ),
        ("README.md", "pip install git+https://github.com/huggingface/transformers\n", []),
        ("README.md", "pip install transformers --index-url https://x.org/nightly/cpu\n", []),
        ("requirements.txt", "git+https://github.com/huggingface/transformers.git\n", []),
    ],
)
def test_without_a_requirement_what_the_project_installs_counts(
    name: str, text: str, expected: list[str]
) -> None:
    write(name, text)
    assert versions("src/job.py") == expected


def test_a_requirement_in_a_comment_says_nothing() -> None:
    write("setup.py", '_deps = [\n    # "transformers==4.48.1",\n]\n')
    assert "no requirement of transformers is declared" in candidates()[0].said


def test_a_requirement_says_more_than_a_readme_beside_it() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("README.md", "pip install transformers==4.50.0\n")
    assert versions("src/job.py") == ["4.48.1"]


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ("transformers==4.50.0", ["4.48.1", "4.50.0"]),
        ("transformers", ["4.48.1"]),
        ("git+https://github.com/huggingface/transformers", []),
    ],
)
def test_the_readme_of_a_folder_below_may_ask_for_another_version_too(
    installed: str, expected: list[str]
) -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("research/README.md", f"pip install {installed}\n")
    assert versions("research/job.py") == expected


# Environments


def test_an_environment_is_found_by_its_folder_and_its_interpreter() -> None:
    site = Path("venv/lib/python3.12/site-packages").absolute()
    site.mkdir(parents=True)
    write("venv/bin/python", "")
    assert site_folders(str(Path("venv").absolute())) == (str(site),)
    assert site_folders(str(Path("venv/bin/python").absolute())) == (str(site),)


def test_with_system_packages_the_base_interpreter_comes_last() -> None:
    for each in ("venv", "base"):
        Path(each, "lib", "python3.12", "site-packages").mkdir(parents=True)
    home = Path("base/bin").absolute()
    write("venv/pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = true\n")
    found = site_folders(str(Path("venv").absolute()))
    assert [Path(each).parts[-4] for each in found] == ["venv", "base"]


def test_an_environment_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="neither an interpreter nor a virtual environment"):
        lint(GONE, environment="nothing")


def test_what_a_version_beyond_the_index_has_is_read_from_its_files() -> None:
    install("venv/lib/python3.11/site-packages", "4.30.0", utils="class LossKwargs: ...\n")
    assert [each.line for each in lint(GONE + NEW, environment="venv")] == [2]


def test_a_name_that_somebody_put_into_the_installed_package_is_there() -> None:
    install("venv/lib/python3.11/site-packages", "4.57.6", utils="LossKwargs = dict\n")
    assert lint(GONE, environment="venv") == []


MODULE = """
from .base import *
import sys
if sys.platform == "linux":
    CONDITIONAL = 1

class Own(Base):
    def method(self): ...
    def __init__(self, taken, *, only=None): ...

def function(first, **rest): ...
"""


@pytest.fixture
def folders() -> tuple[str, ...]:
    write("site/package/__init__.py", "")
    write("site/package/base.py", "class Base:\n    def inherited(self): ...\n")
    write("site/package/module.py", MODULE.replace("from .base import *", "from .base import Base"))
    write("site/package/star.py", "from .base import *\n")
    write("site/package/foreign.py", "from elsewhere import *\n")
    write("site/package/lazy.py", "def __getattr__(name):\n    return {'Known': 1}[name]\n")
    write("site/package/broken.py", "def (:\n")
    return (str(Path("site").absolute()),)


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("package", True),
        ("package.module", True),
        ("package.missing", False),
        ("package.module.CONDITIONAL", True),
        ("package.module.sys", True),
        ("package.module.Missing", False),
        ("package.star.Base", True),
        ("package.star.Missing", False),
        ("package.foreign.Anything", None),
        ("package.lazy.Known", None),
        ("package.lazy.Missing", False),
        ("package.broken.Name", None),
        ("elsewhere.Name", None),
    ],
)
def test_names_are_read_from_sources(
    dotted: str, expected: bool | None, folders: tuple[str, ...]
) -> None:
    assert InstalledNames(folders, Document("job.py", "")).has_name(dotted) is expected


def test_members_and_keywords_are_read_from_sources(folders: tuple[str, ...]) -> None:
    pytest.importorskip("astroid")
    names, own = InstalledNames(folders, Document("job.py", "")), "package.module.Own"
    members = [names.has_member(own, name) for name in ("method", "inherited", "missing")]
    assert members == [True, True, False]
    keywords = [names.takes_keyword(own, name) for name in ("taken", "only", "missing")]
    assert keywords == [True, True, False]
    assert names.takes_keyword("package.module.function", "anything") is None


# What is said


def test_a_pin_without_the_name_is_an_error_and_an_open_requirement_a_warning() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    assert [each.severity for each in lint(GONE)] == ["error"]
    write("requirements.txt", "transformers>=4.50\n")
    assert [each.severity for each in lint(GONE)] == ["warning"]


def test_an_open_requirement_is_an_error_where_no_version_in_it_has_the_name() -> None:
    write("requirements.txt", "transformers>=4.55\n")
    assert [each.severity for each in lint(GONE)] == ["error"]


def test_a_name_that_is_not_there_yet_is_found() -> None:
    write("requirements.txt", "transformers==4.50.0\n")
    (finding,) = lint(NEW)
    assert "it comes with transformers 4.54" in finding.message
    assert "Require `transformers>=4.54`" in finding.message


def test_all_keywords_that_a_call_should_not_have_are_one_finding() -> None:
    write("requirements.txt", "transformers>=4.40\n")
    call = (
        "TrainingArguments(\n"
        "    group_by_length=True,\n    evaluation_strategy='no',\n    no_cuda=True,\n)\n"
    )
    (finding,) = lint(f"from transformers import TrainingArguments\n{call}")
    assert "`group_by_length` (gone since 5.2), `evaluation_strategy`" in finding.message
    assert "write `eval_strategy` for `evaluation_strategy`" in finding.message
    assert finding.message.endswith("or require `transformers<4.51`.")  # brings them all back
    assert finding.line == 3
    assert finding.fix is not None
    assert [each.replacement for each in finding.fix.edits] == ["eval_strategy", "use_cpu"]


def test_a_keyword_that_the_trainer_s_configuration_took_over_is_told_so() -> None:
    write("requirements.txt", "trl==1.16.0\n")
    (finding,) = lint("from trl import DPOTrainer\nDPOTrainer(beta=0.1)\n")
    assert "Give `beta` to `trl.DPOConfig`, or require `trl<0.13`." in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "from diffusers.models.unet_2d_condition import UNet2DConditionModel\n",
        "import diffusers\ndiffusers.models.unet_2d_condition.UNet2DConditionModel\n",
    ],
)
def test_a_module_that_moved_is_found_by_what_is_asked_of_it(text: str) -> None:
    write("requirements.txt", "diffusers==0.32.1\n")
    (finding,) = lint(text)
    assert "Use `diffusers.models.unets.unet_2d_condition`." in finding.message


def test_no_requirement_is_advised_that_the_project_s_own_rules_out() -> None:
    write("requirements.txt", "transformers>=4.55\n")
    (finding,) = lint(GONE)
    assert "transformers<4.54" not in finding.message


def test_what_was_gone_before_the_index_begins_has_a_bound_too() -> None:
    write("requirements.txt", "transformers>=4.31\n")
    (finding,) = lint("from transformers.deepspeed import is_deepspeed_zero3_enabled\n")
    assert "or require `transformers<4.46`" in finding.message


def test_what_one_group_of_requirements_may_have_is_not_reported() -> None:
    write(
        "pyproject.toml",
        '[project]\nname="job"\n[project.optional-dependencies]\n'
        'old=["transformers==4.50.0"]\nnew=["transformers==4.57.6"]\n',
    )
    assert lint(GONE + NEW) == []


def test_of_two_files_that_pin_two_versions_what_neither_has_is_reported() -> None:
    write("requirements.txt", "transformers==4.50.0\n")
    write("requirements-new.txt", "transformers==4.57.6\n")
    never = "from transformers.utils import TRANSFORMERS_CACHE_OF_OURS\n"
    assert [each.line for each in lint(f"{GONE}{NEW}{never}")] == [3]


def test_the_package_s_own_files_and_vendored_copies_are_left_alone() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("transformers/__init__.py", "")
    assert lint(GONE) == []
    assert lint(GONE, "transformers/job.py") == []


def test_a_module_that_the_project_puts_over_the_package_is_not_judged() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("patches/transformers_replace/models/gemma/modeling_gemma.py", "")
    assert lint("from transformers.models.gemma.modeling_gemma import set_ours\n") == []


def test_an_environment_in_the_project_is_no_such_module() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("venv/lib/python3.11/site-packages/transformers/models/gemma2/modeling_gemma2.py", "")
    text = "from transformers.models.gemma2.modeling_gemma2 import GEMMA2_START_DOCSTRING\n"
    assert [each.line for each in lint(text)] == [1]


@pytest.mark.parametrize(
    "put",
    [
        "import transformers\ntransformers.utils.LossKwargs = dict\n",
        "import sys\nsys.modules['transformers.utils'] = object()\n",
    ],
)
def test_a_name_that_the_project_puts_into_the_package_is_there(put: str) -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("job/compatible.py", put)
    assert lint(GONE) == []


def test_a_default_beside_an_annotation_puts_nothing_in() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("job/other.py", "def work(kwargs: transformers.utils.LossKwargs = None): ...\n")
    assert [each.line for each in lint(GONE)] == [1]


def test_a_rename_reaches_every_use() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    text = (
        "from transformers.models.auto.modeling_auto import AutoModelForVision2Seq\n\n\n"
        "def load():\n    return AutoModelForVision2Seq.from_pretrained('x')\n"
    )
    (finding,) = lint(text)
    assert finding.fix is not None
    assert finding.fix.safe
    assert len(finding.fix.edits) == 2


def test_a_rename_keeps_the_old_name_where_a_use_cannot_be_told() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    text = (
        "from transformers.models.auto.modeling_auto import AutoModelForVision2Seq\n"
        "__all__ = ['AutoModelForVision2Seq']\n"
    )
    (finding,) = lint(text)
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert edit.replacement == "AutoModelForImageTextToText as AutoModelForVision2Seq"


def test_a_fix_that_an_older_admitted_version_may_not_bear_is_unsafe() -> None:
    write("requirements.txt", "transformers>=4.30,<5.5\n")
    (finding,) = lint("from transformers.image_utils import VideoInput\n")
    assert finding.fix is not None
    assert not finding.fix.safe


@given(st.text())
def test_no_text_breaks_the_search_for_uses(text: str) -> None:
    assert uses(f"import transformers\n{text}").imports


def test_the_cache_forgets_when_a_lock_file_comes() -> None:
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    write("job.py", GONE)
    write("requirements.txt", "transformers>=4.50\n")
    command = [sys.executable, "-m", "rocmlint", "--select", "ROC204", "--output-format", "json"]

    def found() -> int:
        done = subprocess.run([*command, "job.py"], capture_output=True, text=True, check=False)
        return len(json.loads(done.stdout)["findings"])

    assert (found(), found()) == (1, 1)
    write("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.50.0"\n')
    assert found() == 0


# The curated tables against the index


@pytest.mark.parametrize(("old", "replacement"), _replacements.NAMES.items())
def test_a_replacement_is_there_where_the_old_name_is_gone(
    old: str, replacement: _replacements.Replacement
) -> None:
    known = names_of(old.partition(".")[0])
    assert known is not None
    assert has(old, known.versions[-1]) is False
    if names_of(replacement.new.partition(".")[0]) is None:
        pytest.skip("the other package is not in the index")
    assert has_successor(old, replacement.new, known.versions[-1])


@pytest.mark.parametrize("old", _replacements.ADVICE)
def test_advice_is_given_for_what_is_gone(old: str) -> None:
    package, _, name = old.partition(".")
    known = names_of(package)
    newest = known.versions[-1] if known else published.releases(package)[-1]
    modules = (
        *("", ".utils", ".optimization", ".cache_utils", ".modeling_utils"),
        ".tokenization_utils_base",
    )
    assert any(has(f"{package}{each}.{name}", newest) is False for each in modules)


@pytest.mark.parametrize(("ending", "keyword"), _replacements.KEYWORD_ADVICE)
def test_advice_is_given_for_keywords_that_are_gone(ending: str, keyword: str) -> None:
    known = names_of("transformers" if ending == "TrainingArguments" else "trl")
    assert known is not None
    assert known.keyword(f"{known.package}.{ending}", keyword).at(known.versions[-1]) is False


@pytest.mark.parametrize("keyword", _replacements.KEYWORDS)
def test_a_keyword_s_successor_is_taken_where_the_old_one_is_not(keyword: str) -> None:
    callables = (
        *("transformers.TrainingArguments", "transformers.Trainer"),
        *("transformers.masking_utils.create_causal_mask", "accelerate.Accelerator"),
        "huggingface_hub.hf_hub_download",
    )
    judged = []
    for dotted in callables:
        known = names_of(dotted.partition(".")[0])
        assert known is not None
        new = _replacements.keyword_replacement(dotted, keyword)
        if new is not None:
            newest = known.versions[-1]
            assert known.keyword(dotted, keyword).at(newest) is False
            assert known.keyword(dotted, new).at(newest) is True
            judged.append(dotted)
    assert judged
