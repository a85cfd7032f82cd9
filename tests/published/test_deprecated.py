"""What torch's functions say of themselves: the data against the index and the installed torch."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from rocmlint.published.deprecated import deprecated_names, deprecations, old_weights
from rocmlint.published.names import names_of
from rocmlint.rules.dependencies._torch.removed import ADVICE
from rocmlint.rules.dependencies._torch.successors import SUCCESSORS

PROVEN_IN = "2.13.0"
PROVE = Path(__file__).parents[2] / "tools" / "prove_deprecations.py"


def installed_torch() -> str:
    """Return the version of the installed torch, "" if there is none."""
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return ""


def test_every_successor_is_of_a_function_that_warns_and_is_there() -> None:
    index = names_of("torch")
    assert index is not None
    for old, successor in SUCCESSORS.items():
        assert any(each.warns for each in deprecations(old)), old
        history = index.history(successor.new)
        assert history is not None, successor.new
        assert history.at(Version(PROVEN_IN)) is True, successor.new


def test_every_function_that_only_raises_has_an_advice() -> None:
    raising = {
        name for name in deprecated_names() if any(each.raises for each in deprecations(name))
    }
    assert raising == ADVICE.keys()


def test_a_deprecation_holds_from_its_release_on() -> None:
    (autocast,) = deprecations("torch.cuda.amp.autocast")
    assert autocast.since == Version("2.4")
    assert not autocast.holds_in(Version("2.3.1"))
    assert autocast.holds_in(Version("2.4.0"))
    assert autocast.holds_in(Version("2.10.0"))


def test_a_function_that_warned_before_it_raised_says_both() -> None:
    warned, raises = deprecations("torch.cholesky")
    assert (warned.raises, warned.goes) == (False, "2.14")
    assert raises.raises
    assert not raises.holds_in(Version("2.13.0"))
    assert raises.holds_in(Version("2.14.1"))


def test_an_unknown_function_says_nothing() -> None:
    assert deprecations("torch.linalg.qr") == ()
    assert old_weights("torchvision.models.no_such_model") == {}


@pytest.mark.slow
@pytest.mark.skipif(installed_torch() != PROVEN_IN, reason=f"torch {PROVEN_IN} is not installed")
def test_the_installed_torch_says_so(tmp_path: Path) -> None:
    """Each function is called again; those that begin to raise later only warn here."""
    wanted = {
        name: "raises" if all(each.raises for each in deprecations(name)) else "deprecated"
        for name in deprecated_names()
    }
    wanted["torch.symeig"] = "raises"
    asked = tmp_path / "names.json"
    asked.write_text(json.dumps(wanted))
    done = subprocess.run(
        [sys.executable, str(PROVE), str(asked)], capture_output=True, text=True, check=True
    )
    proven = json.loads(done.stdout.splitlines()[-1])
    assert proven.keys() == wanted.keys()
    assert {name for name in SUCCESSORS if proven[name] != "warns"} == set()


def test_nothing_is_said_of_releases_that_were_not_read() -> None:
    (deprecation,) = (each for each in deprecations("torch.qr") if not each.raises)
    assert deprecation.before
    assert deprecation.when == "since torch 1.13 or before"
    assert not deprecation.holds_in(Version("1.12.1"))
