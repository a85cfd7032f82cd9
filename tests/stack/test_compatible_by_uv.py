"""``rocmlint stack compatible`` as uv answers it, by a program in place of uv."""

from __future__ import annotations

import inspect
import stat
import sys
from argparse import ArgumentParser
from typing import TYPE_CHECKING, cast

import pytest
from packaging.version import Version

from rocmlint.cli.verify.common import add_interpreter_arguments
from rocmlint.published import requirements
from rocmlint.stack.compatible import compatible
from rocmlint.stack.resolution import uv as resolver
from rocmlint.stack.resolution.uv import ResolverError, UvRefusal, resolve
from rocmlint.stack.versions import VersionError
from tests.support.stacks import library
from tests.support.tools import uv as uv_of_machine

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UvOfTests:
    return UvOfTests(tmp_path, monkeypatch)


class UvOfTests:
    """A program in place of uv."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "uv"
        monkeypatch.setattr(resolver, "find_uv", lambda: str(self.path))

    def runs(self, program: str) -> None:
        self.path.write_text(f"#!{sys.executable}\n{program}\n")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def fails(self, message: str, code: int) -> None:
        self.runs(f"import sys; print({message!r}, file=sys.stderr); sys.exit({code})")


def test_the_pins_are_read(uv: UvOfTests) -> None:
    uv.runs("print('peft==0.21.2\\nTorch==2.4.1+cpu ; sys_platform == \"linux\"')")
    assert resolve(["peft"], "3.11") == {"peft": Version("0.21.2"), "torch": Version("2.4.1+cpu")}


def test_a_proof_that_nothing_fits_is_an_answer(uv: UvOfTests) -> None:
    uv.fails(
        "  \N{MULTIPLICATION SIGN} No solution found when resolving dependencies:\n"
        "  ╰─▶ Because peft==9 depends on torch>=3 and you require torch==2.4.1, we can conclude "
        "that your requirements are unsatisfiable.\n\nhint: try",
        1,
    )
    found = resolve(["peft"], "3.11")
    assert found == UvRefusal("Because peft==9 depends on torch>=3 and you require torch==2.4.1")


def test_a_package_that_the_index_does_not_have(uv: UvOfTests) -> None:
    uv.fails(
        "error: No solution found when resolving dependencies\n  cause: Because no-such was not "
        "found in the package registry and you require no-such, we can conclude",
        1,
    )
    assert resolve(["no-such"], "3.11") == UvRefusal("the index has no package no-such", "no-such")


@pytest.mark.parametrize(
    "told", ["pyairports==0.0.1 has no usable", "all versions of sqlitedict have no usable"]
)
def test_what_has_only_an_sdist_is_left_out(uv: UvOfTests, told: str) -> None:
    uv.runs(
        "import os, sys\n"
        "if '--override' in sys.argv:\n"
        "    print('vllm==1.0\\n' + open('overrides.txt').read().split(';')[0] + '==1.0')\n"
        "else:\n"
        f"    sys.exit('No solution found\\nBecause {told} wheels and so on')"
    )
    _, name = cast("Mapping[str, Version]", resolve(["vllm"], "3.11"))
    assert name in told


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys; sys.exit('error: Failed to fetch')", "uv failed: Failed to fetch"),
        ("import os; os.kill(os.getpid(), 9)", "uv failed: exit code -9"),
        (
            "import sys; sys.exit('No solution found\\ntorch was not found in the cache')",
            "uv failed: torch was not found in the cache",
        ),
    ],
)
def test_no_answer_is_no_proof(uv: UvOfTests, program: str, reason: str) -> None:
    uv.runs(program)
    with pytest.raises(ResolverError) as raised:
        resolve(["peft"], "3.11")
    assert str(raised.value) == reason


NEWER_ACCELERATE = (
    "import sys\n"
    "text = open('requirements.in').read()\n"
    "if '--no-deps' in sys.argv: print('accelerate==99.1\\npeft==0.21.2')\n"
    "elif '99.1' not in text: print('accelerate==99.0\\npeft==0.21.2\\ntorch==2.4.1')\n"
    "elif 'peft' in text: sys.exit('No solution found\\nBecause of peft')\n"
    "else: print('accelerate==99.1\\ntorch==2.4.1')"
)


def test_the_library_that_stands_against_a_newer_release_is_named(uv: UvOfTests) -> None:
    uv.runs(NEWER_ACCELERATE)
    found = library(compatible("2.4.1", ["accelerate", "peft"]), "accelerate")
    assert found.reason == "accelerate 99.1 is compatible with torch, but not with peft"


def test_without_other_libraries_a_newer_release_that_can_be_installed_is_the_answer(
    uv: UvOfTests,
) -> None:
    uv.runs(NEWER_ACCELERATE)
    found = library(compatible("2.4.1", ["accelerate"]), "accelerate")
    assert (found.version, found.following, found.reason) == ("99.1", None, "")


def test_uv_downloads_no_python(uv: UvOfTests) -> None:
    uv.runs(
        "import os, sys\n"
        "assert '--no-python-downloads' in sys.argv\n"
        "assert os.environ['UV_PYTHON_DOWNLOADS'] == 'never'\n"
        "print('peft==0.21.2')"
    )
    assert resolve(["peft"], "3.11") == {"peft": Version("0.21.2")}


def test_uv_is_not_asked_for_what_came_out_long_before_the_torch(uv: UvOfTests) -> None:
    uv.runs(
        "text = open('requirements.in').read()\n"
        "old = text.startswith('torch') or '>=' in text\n"
        "print('torch==2.14.1' if old and 'vllm' not in text else 'vllm==0.2.5\\ntorch==2.14.1')\n"
        "import sys\n"
        "sys.exit('No solution found\\nBecause of it' if 'vllm>=' in text else 0)"
    )
    found = library(compatible("2.14.1", ["vllm"]), "vllm")
    assert (found.answer, found.reason) == ("none fits", "vllm 0.33.0 requires torch==2.14.0")


def test_uv_is_not_offered_a_release_for_older_pythons_only(uv: UvOfTests) -> None:
    uv.runs(
        "import sys\n"
        "text = open('requirements.in').read()\n"
        "print('vllm==0.19.1\\ntorch==2.10.0')\n"
        "sys.exit('No solution found\\nBecause' if '!=0.19.1' in text else 0)"
    )
    found = library(compatible("2.10.0", ["vllm"], python="3.14"), "vllm")
    assert found.answer == "none fits"


def test_why_a_release_that_takes_the_torch_cannot_be_installed_is_uvs_reason(
    uv: UvOfTests,
) -> None:
    uv.runs(
        "import sys\n"
        "text = open('requirements.in').read()\n"
        "print('vllm==0.33.0' if '--no-deps' in sys.argv else 'torch==2.14.0')\n"
        "lacks = 'No solution found\\nBecause only certifi<=1 is available'\n"
        "sys.exit(lacks if 'vllm' in text and '--no-deps' not in sys.argv else 0)"
    )
    found = library(compatible("2.14.0", ["vllm"]), "vllm")
    assert found.reason == (
        "vllm 0.33.0 accepts torch 2.14.0, but cannot be installed: "
        "Because only certifi<=1 is available"
    )


def test_a_uv_that_does_not_answer_is_no_proof(uv: UvOfTests) -> None:
    uv.runs("import time; time.sleep(600)")
    with pytest.raises(ResolverError, match="uv did not answer within 1 s"):
        resolve(["peft"], "3.11", timeout=1)


def test_a_uv_that_cannot_run(uv: UvOfTests) -> None:
    uv.path.write_text("no program")
    with pytest.raises(ResolverError, match="cannot be started"):
        resolve(["peft"], "3.11")


def test_without_uv_the_shipped_metadata_answer_and_say_so(uv: UvOfTests) -> None:
    uv.fails("error: Failed to fetch", 2)
    answer = compatible("2.4.1", ["transformers"])
    assert (answer.source, answer.as_of) == ("shipped data", requirements.AS_OF)
    assert "uv was not used: uv failed: Failed to fetch" in answer.notes
    assert library(answer, "transformers").version == "5.14.1"


def test_triton_that_only_the_index_knows_of_stands_apart(uv: UvOfTests) -> None:
    uv.runs(
        "text = open('requirements.in').read()\n"
        "if 'stranger' in text: print('stranger==1.0')\n"
        "if 'peft' in text: print('peft==0.21.2')\n"
        "if '--override' not in __import__('sys').argv: print('torch==2.9.1\\ntriton==3.5.1')\n"
        "elif 'stranger' in text: print('triton==3.9.0')"
    )
    answer = compatible("2.9.1", ["stranger", "peft"])
    assert answer.source == "uv"
    assert library(answer, "stranger").brings == ("stranger==1.0 -> triton==3.9.0",)
    assert library(answer, "peft").brings == ()


def test_a_package_without_a_wheel_is_told_in_uvs_words(uv: UvOfTests) -> None:
    uv.runs(
        "import sys\n"
        "if 'source-only' not in open('requirements.in').read(): sys.exit(print('torch==2.9.1'))\n"
        "sys.exit('No solution found\\nBecause source-only has no usable wheels')"
    )
    (found,) = compatible("2.9.1", ["source-only"]).libraries
    assert found.answer == "none fits"
    assert "source-only has no usable wheels" in found.reason


def test_uv_is_asked_first_and_knows_what_came_later(uv: UvOfTests) -> None:
    uv.runs(
        "import sys\n"
        "if '99.1' in open('requirements.in').read(): sys.exit('No solution found\\nBecause')\n"
        "print('accelerate==99.1' if '--no-deps' in sys.argv else\n"
        "      'accelerate==99.0\\ntorch==2.4.1')"
    )
    answer = compatible("2.4.1", ["accelerate"])
    assert answer.source == "uv"
    assert library(answer, "accelerate").version == "99.0"
    assert library(answer, "accelerate").following == "99.1"


@pytest.mark.slow
def test_uv_and_the_shipped_metadata_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_EXCLUDE_NEWER", requirements.AS_OF)  # as though it were that day
    uv_of_machine()
    answer = compatible("2.5.1", python="3.11")
    if answer.source != "uv":
        pytest.skip(f"needs the network: {answer.notes[0]}")
    offline = compatible("2.5.1", python="3.11", ask_uv=False)
    behind = [
        (one.package, one.version, other.version)
        for one, other in zip(answer.libraries, offline.libraries, strict=True)
        if one.following is not None and one.version != other.version
    ]
    assert behind == []


@pytest.mark.parametrize("ask_uv", [True, False])
def test_a_torch_that_was_not_built_for_this_python(uv: UvOfTests, ask_uv: bool) -> None:
    uv.fails("error: it must not be asked", 2)
    message = r"torch 2\.0\.1 has no wheels for Python 3\.13: it has them for 3\.8, .*3\.11"
    with pytest.raises(VersionError, match=message):
        compatible("2.0.1", ["transformers"], python="3.13", ask_uv=ask_uv)


def test_a_question_may_take_as_long_as_the_flag_says_by_default() -> None:
    parser = ArgumentParser()
    add_interpreter_arguments(parser)
    for each in (compatible, resolve):
        default = inspect.signature(each).parameters["timeout"].default
        assert default == parser.parse_args([]).timeout


def test_what_uv_chose_and_cannot_be_imported_is_asked_again(
    uv: UvOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metadata are all that uv knows: peft 0.17 takes any transformers."""
    uv.runs(
        "import sys\n"
        "text = open('requirements.in').read()\n"
        "version = '4.57.6' if 'transformers<5.0' in text else '5.5.3'\n"
        "if 'peft>=0.18' in text: sys.exit('No solution found')\n"
        "print(f'transformers=={version}\\npeft==0.17.1\\ntorch==2.9.1')"
    )
    monkeypatch.setattr("rocmlint.stack.resolution.resolvers.guess", lambda *_: {})
    answer = compatible("2.9.1", ["transformers", "peft==0.17.1"])
    assert answer.source == "uv"
    assert [each.version for each in answer.libraries] == ["4.57.6", "0.17.1"]


def test_where_no_releases_can_be_imported_together_each_stands_alone(uv: UvOfTests) -> None:
    uv.runs(
        "import sys\n"
        "text = open('requirements.in').read()\n"
        "if 'peft>=' in text or 'transformers<' in text: sys.exit('No solution found')\n"
        "pins = {'transformers': '5.5.3', 'peft': '0.17.1', 'torch': '2.9.1'}\n"
        "print('\\n'.join(f'{name}=={pins[name]}' for name in pins if name in text))"
    )
    answer = compatible("2.9.1", ["transformers==5.5.3", "peft==0.17.1"])
    assert not answer.together
    assert any("imports transformers.HybridCache" in each for each in answer.notes)
