"""What a name means at a place."""

from __future__ import annotations

import libcst as cst
import pytest

from rocmlint.source.python import Source
from rocmlint.syntax.nodes import calls_in


def resolved(text: str, *, whole: bool = False) -> str | None:
    """Resolve what the outermost call in the last line of a text calls."""
    source = Source("job.py", text, place="job.py", whole=whole)
    calls = calls_in(source.pieces.around(text.rindex("\n") + 1).module)
    last_line = len(source.lines)
    return source.resolve(next(each for each in calls if source.span(each).line == last_line).func)


@pytest.mark.parametrize("whole", [False, True], ids=["pieces", "whole file"])
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch\ntorch.cuda.synchronize()", "torch.cuda.synchronize"),
        ("import torch as th\nth.cuda.synchronize()", "torch.cuda.synchronize"),
        ("import torch.cuda\ntorch.cuda.synchronize()", "torch.cuda.synchronize"),
        ("import torch.cuda as gpu\ngpu.synchronize()", "torch.cuda.synchronize"),
        ("from torch import cuda\ncuda.synchronize()", "torch.cuda.synchronize"),
        ("from torch.cuda import synchronize as sync\nsync()", "torch.cuda.synchronize"),
        ("from .patches import apply\napply()", ".patches.apply"),
        (
            "from torch import (\n    cuda,  # the device\n)\ncuda.empty_cache()",
            "torch.cuda.empty_cache",
        ),
        ("import torch\nsync = torch.cuda.synchronize\nsync()", "torch.cuda.synchronize"),
        (
            "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.load()",
            "torch.load",
        ),
        ("if True:\n    import torch\ntorch.load()", "torch.load"),
        ("def run():\n    import torch\n    torch.load()", "torch.load"),
        ("import torch\nclass A:\n    def run(self):\n        torch.load()", "torch.load"),
        ("\nhasattr()", "hasattr"),
    ],
)
def test_imports_and_aliases_are_followed(text: str, name: str, whole: bool) -> None:
    assert resolved(text, whole=whole) == name


@pytest.mark.parametrize("whole", [False, True], ids=["pieces", "whole file"])
@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from torch import load\nexcept ImportError:\n    from mine import load\nload()",
        "import torch\ntorch = wrap(torch)\ntorch.load()",
        "import torch\ndef run(torch):\n    torch.load()",
        "import torch\ndef run():\n    for torch in []:\n        torch.load()",
        "import torch\ndef swap():\n    global torch\n    torch = 1\ntorch.load()",
        "from torch import load\nif True:\n    def load(path): pass\nload()",
        "if True:\n    class load[T]: pass\nload()",
        "load = pick()\nload()",
        "first().second()",
    ],
)
def test_what_may_be_several_things_is_not_resolved(text: str, whole: bool) -> None:
    assert resolved("\n" + text, whole=whole) is None


CLASS = """\
class A:
    def a(self):
        self.x = here()
    def b(self):
        {}
        use(self.x)
"""


def value(text: str) -> str | None:
    source = Source("job.py", text, place="job.py")
    call = list(calls_in(source.pieces.around(text.rindex("use(")).module))[-1]
    node = source.value_of(call.args[0].value)
    return None if node is None else cst.Module([]).code_for_node(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("root = here()\nuse(root)", "here()"),
        ("def run():\n    root = here()\n    use(root)", "here()"),
        ("root, name = here(), 1\nuse(name)", "1"),
        ("root = 1\nroot = 2\nuse(root)", None),
        ("root = 1\nroot += 2\nuse(root)", None),
        ("def run(root=1):\n    use(root)", None),
        (CLASS.format("pass"), "here()"),
        (CLASS.format("self.x = 2"), None),
    ],
)
def test_only_a_single_assignment_gives_a_value(text: str, expected: str | None) -> None:
    assert value(text) == expected


def test_of_a_class_only_the_members_that_name_an_attribute_are_parsed() -> None:
    text = (
        "class A:\n    def other(self):\n        pass\n" + CLASS.format("pass").partition("\n")[2]
    )
    source = Source("job.py", text, place="job.py")
    (call,) = calls_in(source.pieces.around(text.rindex("use(")).module)
    members = [each for part in source.names.members_with("x", call) for each in part.body.body]
    assert [each.name.value for each in members if isinstance(each, cst.FunctionDef)] == ["a", "b"]
