"""Which release is proposed next to what is installed: it replaces no torch and breaks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from rocmlint.why.facts.context import Context
from rocmlint.why.facts.packages.releases import Fitting, fitting
from rocmlint.why.log.log_reader import read_text
from tests.support.fake_site import FakeSite, traceback

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def _fitting(folder: Path, wanted: str, packages: Mapping[str, str], python: str) -> Fitting | None:
    site = FakeSite(folder, packages, python)
    prefix = str(site.prefix / "bin" / "python")
    context = Context(read_text(""), str(site.project), prefix, is_given=True)
    return fitting(context, Requirement(wanted))


@pytest.mark.parametrize(
    ("wanted", "packages", "python", "found"),
    [
        # The newest accelerate requires torch>=2.0: pip would replace this one.
        ("accelerate>=0.25", {"torch": "1.12.1+cu116", "accelerate": "0.15.0"}, "3.10",
         Fitting("accelerate>=0.25,<0.26")),
        ("accelerate", {"torch": "1.12.1+cu116"}, "3.10", Fitting("accelerate==1.2.1")),
        # Nothing older is known to have what is wanted, so nothing is to be advised.
        ("accelerate>=0.25", {"torch": "1.9.1", "accelerate": "0.15.0"}, "3.8",
         Fitting(obstacle="accelerate 0.25.0 requires torch>=1.10.0")),
        # Little changes: the nearest minor release, next to a vllm that takes any newer one.
        ("transformers>=4.49", {"torch": "2.5.1", "transformers": "4.47.0", "vllm": "0.6.5"},
         "3.12", Fitting("transformers>=4.49,<4.50")),
        # On ROCm, wheels for CUDA are none to advise.
        ("bitsandbytes>=0.45.2", {"torch": "2.9.1+rocm6.4", "bitsandbytes": "0.45.0"}, "3.11",
         Fitting("bitsandbytes>=0.49,<0.50")),
        ("bitsandbytes>=0.45.2", {"torch": "2.6.0+cu124", "bitsandbytes": "0.45.0"}, "3.11",
         Fitting("bitsandbytes>=0.45.2,<0.46")),
        # What calls it is from later: so is the release that it is known to work with.
        ("accelerate>=0.26", {"torch": "2.9.1", "transformers": "4.52.4", "accelerate": "0.20.0"},
         "3.11", Fitting("accelerate>=1.7,<1.8")),
        # What is not installed leaves what is installed as it is.
        ("trl", {"torch": "2.1.0", "transformers": "4.40.0", "accelerate": "0.30.0"}, "3.10",
         Fitting("trl==0.11.4")),
        # pip would take the newest torchvision, and the torch of that one.
        ("timm", {"torch": "2.9.1+rocm6.4"}, "3.11", Fitting("timm", first=("torchvision",))),
        ("timm", {"torch": "2.9.1+rocm6.4", "torchvision": "0.24.1"}, "3.11", Fitting("timm")),
        # The newest of a range fits: the range is for pip.
        ("transformers<5.0", {"torch": "2.9.0", "transformers": "5.0.0"}, "3.12",
         Fitting("transformers<5.0")),
    ],
)  # fmt: skip
def test_a_release_fits_what_is_installed(
    wanted: str, packages: Mapping[str, str], python: str, found: Fitting, tmp_path: Path
) -> None:
    assert _fitting(tmp_path, wanted, packages, python) == found


def test_what_other_packages_require_is_met(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"torch": "2.5.1", "transformers": "4.47.0"})
    site.install("acme", "1.0", requires="transformers<4.50")
    prefix = str(site.prefix / "bin" / "python")
    context = Context(read_text(""), str(site.project), prefix, is_given=True)
    found = fitting(context, Requirement("transformers>=4.50"))
    assert found is not None
    assert not found.wanted
    assert found.obstacle == "acme 1.0 requires transformers<4.50 (change it as well)"


@pytest.mark.parametrize("wanted", ["accelerate==0.25.0", "a-package-of-which-nothing-is-known"])
def test_what_is_pinned_or_unknown_is_not_judged(wanted: str, tmp_path: Path) -> None:
    assert _fitting(tmp_path, wanted, {"torch": "2.5.1"}, "3.11") is None


_TOO_OLD = traceback(
    "TypeError: Accelerator.__init__() got an unexpected keyword argument 'project_dir'",
    "PROJECT/train.py: accelerator = Accelerator(project_dir=out)",
)


def test_the_release_that_the_project_requires_comes_first(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"torch": "1.12.1+cu116", "accelerate": "0.15.0"})
    site.write("PROJECT/train.py", "from accelerate import Accelerator\n")
    site.write("PROJECT/requirements.txt", "accelerate==0.19.0\n")
    explained = site.why(_TOO_OLD).explanation
    assert explained is not None
    assert [each.text.partition(" -m ")[2] for each in explained.actions] == [
        "pip install accelerate==0.19.0"
    ]


def test_a_pin_of_the_project_that_lacks_it_is_changed_as_well(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"torch": "2.5.1", "accelerate": "0.15.0"})
    site.write("PROJECT/train.py", "from accelerate import Accelerator\n")
    site.write("PROJECT/requirements.txt", "torch\naccelerate==0.15.0\n")
    explained = site.why(_TOO_OLD).explanation
    assert explained is not None
    assert explained.actions[0].text.endswith("pip install 'accelerate>=0.25,<0.26'")
    assert explained.actions[1].text == "change accelerate==0.15.0 in requirements.txt:2 as well"
