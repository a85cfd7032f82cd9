"""Tabs, form feeds and backslashes where Python allows them: same findings, right places."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from rocmlint.change.fix import fix_text
from rocmlint.config.settings import Settings
from rocmlint.findings import Finding
from rocmlint.lint.check import check
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Linter
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules
from rocmlint.source.python import Source
from rocmlint.syntax.walk import walk

LINTER = Linter(Settings(preview=True))
RULES = enabled_rules(LINTER.settings)

READ = """\
from PIL import Image, ImageOps


def read(path):
    image = Image.open(path)
    \\
    ImageOps.exif_transpose(image)
    return image
"""
TRAIN = """\
import torch
\\
def train(model, loader, optimizer):
    for batch in loader:
        loss = model(**batch).loss
        loss.backward()
        torch.cuda.synchronize()
        optimizer.step()
"""
TRAINER = """\
from transformers import Trainer
\x0cclass OurTrainer(Trainer):
    def __init__(self, model, tokenizer):
        super().__init__(model=model, tokenizer=tokenizer)
"""


SUPPRESSED = """\
# rocmlint: ignore-file[ROC602]
\x0cfrom PIL import Image
"""
MOVED = """\
if x:
    pass
\x0cfrom transformers.utils import TRANSFORMERS_CACHE, is_flax_available
"""


def found(text: str) -> list[Finding]:
    analysis = LINTER.lint_text("job.py", text)
    assert list(analysis.problems) == []
    return list(analysis.findings)


def codes(text: str) -> list[str]:
    return [each.code for each in found(text)]


def fixed(text: str) -> str:
    return fix_text("job.py", text, found(text), found, unsafe=True).text


def test_a_line_with_only_a_backslash_moves_no_place() -> None:
    assert [(each.code, each.line, each.column) for each in found(READ)] == [("ROC602", 7, 5)]


def test_a_file_that_is_too_long_to_be_parsed_whole_is_parsed_in_pieces() -> None:
    torn = READ.replace("return image", "return\timage")
    assert codes(torn + "value = 1\n" * 120_000) == ["ROC602"]


def test_a_fix_below_a_line_with_only_a_backslash_mends_its_own_line() -> None:
    mended = READ.replace("    ImageOps", "    image = ImageOps")
    assert fixed(READ) == mended


def test_a_fix_takes_away_the_line_that_the_finding_names() -> None:
    assert fixed(TRAIN) == TRAIN.replace("        torch.cuda.synchronize()\n", "")


def test_a_comment_above_a_form_feed_ends_where_its_line_does() -> None:
    assert fixed(SUPPRESSED) == "\x0cfrom PIL import Image\n"


@pytest.mark.parametrize("before", ["\x0c", "\\\n", "\t", "  \x0c  \\\n"])
def test_a_requirement_in_setup_py_stands_where_it_is_written(before: str) -> None:
    text = f'from setuptools import setup\nsetup(install_requires=[\n{before}  "torch==2.4.1"])\n'
    above, _, _ = text.partition("torch")
    (requirement,) = Source("setup.py", text, place="setup.py").parts.declared
    line, column = above.count("\n") + 1, len(above) - above.rfind("\n")
    assert requirement.span[:2] == (line, column)


def test_a_backslash_in_brackets_hinders_no_fix() -> None:
    text = "from transformers.utils import (\n\\\n  is_flax_available, TRANSFORMERS_CACHE)\n"
    assert "from huggingface_hub.constants import HF_HUB_CACHE" in fixed(text)


@pytest.mark.parametrize("before", ["\x0c", "\\\n", "  \x0c", "", "\x0c\\\n"])
def test_a_second_import_is_indented_as_the_first(before: str) -> None:
    text = MOVED.replace("\x0c", before)
    after = fixed(text)
    ast.parse(after)
    assert after.startswith(f"if x:\n    pass\n{before}from transformers.utils import is_flax")
    assert "\nfrom" in after.partition("is_flax")[2]


@pytest.mark.parametrize(
    "text",
    [
        "from\ttransformers\timport\tAutoModelForVision2Seq\n",
        "from\x0ctransformers import AutoModelForVision2Seq\n",
        "from transformers import \\\n\tAutoModelForVision2Seq\n",
        "\x0cfrom transformers import AutoModelForVision2Seq\n",
        "if x:\n  \\\nfrom transformers import AutoModelForVision2Seq\n",
        "import transformers\nx\x0c=\ttransformers\t.\x0cAutoModelForVision2Seq\n",
        "from  transformers import AutoModelForVision2Seq\n",
        "from transformers import  AutoModelForVision2Seq\n",
        "from transformers. utils import TRANSFORMERS_CACHE\n",
        "import transformers . deepspeed\n",
        "import transformers\tas\tt\nx = t.AutoModelForVision2Seq\n",
        TRAINER,
        "import torch\nif torch.version. cuda is None:\n    device = 'cpu'\n",
        "import torch\ndevice = 'cuda' if torch.version.\\\n    cuda else 'cpu'\n",
        "import torch\nx = getattr(torch.version, \\\n    'cuda', None)[:2]\n",
        "import torch\nx = getattr(\n    torch.version,\n    'cuda',\n)[:2]\n",
        "from transformers import utils\nutils.check_torch_load_is_safe = \\\n\tlambda: None\n",
        "from transformers import utils\nutils.check_torch_load_is_safe=lambda: None\n",
        "def has_kernels():\n    return (is_available()\n            or      True)\n",
        "def f(name):\n    return (\n  PeftModel.from_pretrained(name)\n  .half (\n  )\n  )\n",
        "from torch ._six import inf\n",
        "from transformers import utils\nutils.check_torch_load_is_safe =  lambda: None\n",
        "import sys\nsys  .path.append('Megatron-LM')\nfrom megatron.core import mpu\nmpu.f()\n",
        "from transformers import Trainer\nTrainer(model, \\\n    tokenizer=tokenizer)\n",
        "import os, transformers\nx = transformers.AutoModelForVision2Seq\n",
        "import diffusers\ntry:\n    apply_patches_here()\nexcept  Exception:\n    pass\n",
        "import diffusers\ntry:\n    apply_patches_here()\nexcept \\\n  Exception:\n    pass\n",
        "import diffusers\ntry:\n    apply_patches_here()\nexcept(Exception) :\n    pass\n",
        "for p in model.parameters():\n    p.data\t=\x0cp.data.half()\n",
    ],
)
def test_shortcuts_miss_nothing(text: str) -> None:
    ast.parse(text)
    whole = check(Source("job.py", text, place="job.py", whole=True), RULES, shortcuts=False)
    rules = Scanner(RULES).scan_python(text.encode()).rules
    cut = check(Source("job.py", text, place="job.py"), rules)
    assert cut == whole
    assert whole != []
    assert isinstance(LINTER.first_sight("job.py", text.encode()), Opened)


def test_a_name_that_nothing_binds_is_no_package() -> None:
    text = "import transformersx\nx = transformers.AutoModelForVision2Seq\n"
    whole = check(Source("job.py", text, place="job.py", whole=True), RULES, shortcuts=False)
    assert whole == found(text) == []


def test_keywords_of_torch_are_not_looked_at() -> None:
    text = "import torch, transformers\ntorch.set_default_dtype(d, weights_only=True)\n"
    whole = check(Source("job.py", text, place="job.py", whole=True), RULES, shortcuts=False)
    assert [each.code for each in whole] == codes(text) == ["ROC401"]


def test_an_attribute_that_is_no_name_is_no_patch() -> None:
    text = "from torch import nn\nimport transformers\nsetattr(transformers, 'a(b', nn)\n"
    assert codes(text) == []


@pytest.mark.parametrize("gap", [" ", "  ", "\\\n", " \\\n\t", "\t\x0c", " \\\n \\\n"])
@pytest.mark.parametrize("error", ["Exception", "(ImportError)", "(A,\n   B)", "errors. A"])
def test_blanks_before_the_colon_of_a_handler_move_nothing(gap: str, error: str) -> None:
    text = f"try:\n    f()\nexcept {error}{gap}: f(torch.__file__)\n"
    source = Source("job.py", text, place="job.py", whole=True)
    calls = [node for node in walk(source.module) if isinstance(node, cst.Call)]
    places = [(source.span(each).line, source.span(each).column - 1) for each in calls]
    read = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    assert places == [(each.lineno, each.col_offset) for each in read]


def test_a_name_that_the_file_sets_is_expected_whatever_stands_behind_its_dot() -> None:
    text = "from transformers import AutoModelForVision2Seq\nx{}AutoModelForVision2Seq{}y\n"
    assert codes(text.format(" or ", " or ")) == ["ROC204"]
    for dot, sign in ((".", " = "), (".", "="), (".\t\x0c", " = "), (" \\\n. ", "\t=\x0c")):
        assert codes(text.format(dot, sign)) == []


def test_what_python_refuses_is_told_where_it_stands() -> None:
    text = "f(\n        \\\na,    )\n  )\n"
    with pytest.raises(SyntaxError) as refused:
        ast.parse(text)
    (finding,) = found(text)
    assert (finding.line, finding.column) == (refused.value.lineno, refused.value.offset)


@pytest.mark.parametrize(
    "text", ["def e():\n\x0c    (exif_transpose)\n", "def t():\n \\\nexif_transpose\n"]
)
@pytest.mark.parametrize("check_syntax", [False, True])
def test_what_python_takes_is_no_unreadable_file(text: str, check_syntax: bool) -> None:
    ast.parse(text)
    linter = Linter(Settings(preview=True, check_syntax=check_syntax))
    assert list(linter.lint_text("job.py", text).findings) == []


@pytest.mark.parametrize(
    "text",
    [
        'x = (""b"").__file__\n',
        "x.__file__\n\0\n",
        "x.__file__ = '\0'\n",
        "x\u00b2.__file__\n",
        "x\u2028.__file__\n",
        "x\x0b.__file__\n",
        "x.__file__ \\ \n",
    ],
)
def test_what_python_refuses_is_an_unreadable_file_and_no_internal_error(text: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        ast.parse(text)
    assert codes(text) == ["ROC900"]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n\r", "\r\r\n"])
def test_carriage_returns_anywhere_are_line_ends(end: str) -> None:
    data = READ.replace("    \\\n", "").replace("\n", end).encode()
    assert [each.code for each in LINTER.lint("job.py", data).findings] == ["ROC602"]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_a_comment_above_hides_no_tabs_whatever_the_line_ends(end: str) -> None:
    text = "import os  # of Python\nfrom\ttransformers\timport\tAutoModelForVision2Seq\n"
    data = text.replace("\n", end).encode()
    assert LINTER.lint("job.py", data).findings == found(text) != []
