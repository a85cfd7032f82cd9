"""Names that an installed package asks of another one at import, and that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.checks.import_checks import imports

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.stacks import FakeEnvironment

ASKS = "from transformers import AutoModel, HybridCache\n"
OTHER = {"transformers/__init__.py": "class AutoModel: ...\n"}
CONFLICT = [("peft", "transformers", "conflict")]
LAZY = "import sys\n_import_structure = {}\nsys.modules[__name__] = _LazyModule()\n"


def judged(packages: FakeEnvironment, files: dict[str, str], version: str = "9.0") -> list[object]:
    """Return what is said of a peft and a transformers with these files."""
    packages.install("transformers", version)
    packages.install("peft", "0.17.1", ["transformers"])
    for path, text in {**OTHER, **files}.items():
        packages.write(path, text)
    found = imports(packages.read())
    return [(each.package, each.on, each.judgement) for each in found]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"peft/__init__.py": ASKS}, id="in the package"),
        pytest.param(
            {
                "peft/__init__.py": "from .models import base\n",
                "peft/models/__init__.py": "",
                "peft/models/base.py": "def f():\n    pass\n\n\nfrom ..utils import x\n",
                "peft/utils.py": f"x = 1\n{ASKS}",
            },
            id="in a module that it imports",
        ),
        pytest.param(
            {"peft/__init__.py": f"try:\n    {ASKS}except ValueError:\n    pass\n"},
            id="where another error is caught",
        ),
        pytest.param(
            {"peft/__init__.py": f"try:\n    {ASKS}except ImportError:\n    raise RuntimeError\n"},
            id="where it is raised in turn",
        ),
        pytest.param({"peft/__init__.py": "import transformers.cache\n"}, id="a module"),
        pytest.param(
            {
                "peft/__init__.py": "from transformers.models import gone\n",
                "transformers/models/__init__.py": "from .here import *\n",
                "transformers/models/here.py": "there = 1\n",
            },
            id="a name that import * does not bring",
        ),
    ],
)
def test_a_name_that_is_not_there_is_a_conflict(
    packages: FakeEnvironment, files: dict[str, str]
) -> None:
    assert judged(packages, files) == CONFLICT


@pytest.mark.parametrize(
    ("takes", "action"),
    [
        ("huggingface-hub>=0.20", "pip install 'huggingface-hub<1.0'"),
        ("huggingface-hub>=1.3", "pip install --upgrade gradio"),
        ("huggingface-hub<0.20", "pip install 'huggingface-hub<1.0'"),  # a conflict already
    ],
)
def test_no_release_is_advised_that_another_package_does_not_take(
    packages: FakeEnvironment, takes: str, action: str
) -> None:
    packages.install("huggingface-hub", "1.7.1")
    packages.install("gradio", "4.44.1", ["huggingface-hub>=0.19.3"])
    packages.install("transformers", "5.5.3", [takes])
    packages.write("huggingface_hub/__init__.py", "x = 1\n")
    packages.write("gradio/__init__.py", "from huggingface_hub import HfFolder\n")
    (verdict,) = imports(packages.read())
    assert (verdict.package, verdict.action) == ("gradio", action)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"peft/__init__.py": f"try:\n    {ASKS}except {each}:\n    x = 1\n"}, id=each)
        for each in ("ImportError", "(ValueError, Exception)", "ModuleNotFoundError", "errors")
    ]
    + [
        pytest.param({"peft/__init__.py": f"{begin}\n    {ASKS}"}, id=begin)
        for begin in (
            "if TYPE_CHECKING:",
            "if typing.TYPE_CHECKING or SLOW:",
            "if is_transformers_available():",
            "if version < '5':",
            "def f():",
            "async def f():",
            "with suppress(ImportError):",
            "for each in ():",
            "def f():\n    'a'\n    if True:\n        pass\n# comment at the margin",
        )
    ]
    + [
        pytest.param({"peft/__init__.py": f"raise ImportError\n{ASKS}"}, id="after a raise"),
        pytest.param({"peft/__init__.py": "", "peft/x.py": ASKS}, id="in another module"),
        pytest.param(
            {"peft/__init__.py": f'def f():\n    """\n{ASKS}"""\n\n\ndef g():\n    """\n"""\n'},
            id="in a string",
        ),
        pytest.param({"peft/__init__.py": f"x = '''\n{ASKS}'''\n"}, id="in a text"),
    ],
)
def test_only_what_an_import_is_certain_to_run_counts(
    packages: FakeEnvironment, files: dict[str, str]
) -> None:
    assert judged(packages, files) == []


@pytest.mark.parametrize(
    "text",
    [
        "class HybridCache: ...",
        "HybridCache = None",
        "HybridCache: type = object",
        "if x:\n    from .cache import HybridCache\nelse:\n    def other(): ...",
        "import cache as HybridCache",
        "def make():\n    global HybridCache",
        "(HybridCache := 1)",
        "for HybridCache in (): ...",
        "from .lazy import *",
        "from elsewhere import *",
        "globals().update(x)",
        "def __getattr__(name): ...",
        LAZY,
    ],
)
def test_a_name_that_is_or_may_be_there_is_no_conflict(
    packages: FakeEnvironment, text: str
) -> None:
    files = {
        "peft/__init__.py": ASKS,
        "transformers/__init__.py": f"class AutoModel: ...\n{text}\n",
        "transformers/lazy.py": "from .cache import *\n",
        "transformers/cache.py": "class HybridCache: ...\n",
    }
    assert judged(packages, files) == []


@pytest.mark.parametrize("name", ["HybridCache.py", "HybridCache/x.py", "HybridCache.abi3.so"])
def test_a_module_can_be_what_is_imported(packages: FakeEnvironment, name: str) -> None:
    assert judged(packages, {"peft/__init__.py": ASKS, f"transformers/{name}": ""}) == []


@pytest.mark.parametrize(
    ("version", "found"), [("5.5.3", CONFLICT), ("4.57.1", []), ("5.99", []), ("9!x", [])]
)
def test_the_index_of_names_knows_what_a_lazy_package_has(
    packages: FakeEnvironment, version: str, found: list[object]
) -> None:
    files = {"peft/__init__.py": ASKS, "transformers/__init__.py": LAZY}
    assert judged(packages, files, version) == found


def test_files_and_index_that_contradict_each_other_prove_nothing(
    packages: FakeEnvironment,
) -> None:
    assert judged(packages, {"peft/__init__.py": ASKS}, "4.57.1") == []


def test_the_command_installs_the_first_release_that_can_be_imported(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.11.0+rocm7.2", "7.2.53211")
    packages.install("transformers", "5.5.3")
    packages.install("peft", "0.17.1", ["transformers"])
    packages.write("transformers/__init__.py", LAZY)
    packages.write("peft/__init__.py", f"\n{ASKS}")
    (conflict,) = imports(packages.read())
    assert conflict.reason == (
        "import peft fails: it imports `transformers.HybridCache`, which transformers 5.5.3 does "
        "not have"
    )
    assert conflict.action == "pip install 'peft>=0.18.0'"
    assert conflict.source.endswith("peft/__init__.py:2")


def test_a_pair_in_conflict_is_not_listed_as_compatible_too(
    packages: FakeEnvironment, project: Project
) -> None:
    judged(packages, {"peft/__init__.py": ASKS, "transformers/__init__.py": LAZY}, "5.5.3")
    shown = project.run("stack", "show", "--python", str(packages.python)).stdout
    conflict, _, rest = shown.partition("conflict: peft 0.17.1 and transformers 5.5.3")
    assert conflict
    assert "\npeft 0.17.1  " not in rest
