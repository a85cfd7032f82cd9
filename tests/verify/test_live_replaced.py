"""``rocmlint verify live``: what a program replaced, reloaded, wrapped or hid in a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live import NEW, OLD, UNWRITTEN, evidence

if TYPE_CHECKING:
    from tests.support.live import Live
    from tests.support.project import Project

pytestmark = pytest.mark.slow


def test_an_old_function_in_another_module_is_named_after_a_reload(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write("user.py", "from m import f\n")
    text = f"import importlib, m, user\nopen('m.py', 'w').write({NEW!r})\nimportlib.reload(m)\n"
    project.write("late.py", text)
    result = live("late", "m", **UNWRITTEN)["m"]
    assert result["verdict"] == "contradicted"
    assert evidence(result, "older") == f"user.f ({project.root}/m.py:2)"


def test_a_class_derived_from_the_old_one_is_named_after_a_reload(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write("user.py", "import m\nclass D(m.C):\n    pass\n")
    added = OLD + "    def h(self):\n        return 2\n"
    text = f"import importlib, m, user\nopen('m.py', 'w').write({added!r})\nimportlib.reload(m)\n"
    project.write("late.py", text)
    result = live("late", "m", **UNWRITTEN)["m"]
    assert result["verdict"] == "contradicted"
    assert evidence(result, "older").startswith("user.D ")


def test_a_reload_that_nobody_missed_is_proven(project: Project, live: Live) -> None:
    project.write("m.py", OLD)
    project.write("user.py", "import m\n")
    text = f"import importlib, m, user\nopen('m.py', 'w').write({NEW!r})\nimportlib.reload(m)\n"
    project.write("late.py", text)
    assert live("late", "m", **UNWRITTEN)["m"]["verdict"] == "proven"


@pytest.mark.parametrize(
    ("assignment", "name"),
    [
        ("m.C.g = new", "C.g"),
        ("m.f = new", "f"),
        ("import functools; m.f = functools.wraps(m.f)(new)", "f"),
        ("m.f = functools.partial(new)", "f"),
        ("m.C = type('C2', (m.C,), {'g': new})", "C"),
        ("m.f = len", "f"),
        ("m.f = m.C.g", "f"),
    ],
)
def test_a_replaced_attribute_is_named_with_the_place_of_its_code(
    assignment: str, name: str, project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    patch = f"import functools, m\ndef new(*a):\n    return 5\n{assignment}\n"
    project.write("patch.py", patch)
    result = live("patch", "m")["m"]
    assert result["verdict"] == "contradicted"
    replaced = evidence(result, "replaced")
    assert replaced.startswith(f"{name} by ")
    assert replaced.endswith(("not Python code", "m.py:5")) or "/patch.py:" in replaced


def test_a_wrapper_of_others_is_named_with_its_place_and_what_would_tell(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write(
        "patch.py", "import m\ndef put(old):\n    return lambda a: old(a)\nm.f = put(m.f)\n"
    )
    result = live("patch", "m")["m"]
    assert (result["verdict"], result["strength"]) == ("unproven", "live")
    assert evidence(result, "behind").endswith(f"<lambda> at {project.root}/patch.py:3")
    assert "rocmlint verify live m --executed --call" in result["action"]


@pytest.mark.parametrize("name", ["assigned", "defined"])
def test_a_replacement_by_the_program_is_seen_where_the_source_does_not_decide(
    name: str, project: Project, live: Live
) -> None:
    project.write("site-packages/other.py", "def elsewhere(): ...\n")
    project.write(
        "site-packages/m.py",
        "assigned = staticmethod(len)\ndef defined(): ...\nfrom other import *\n",
    )
    project.write("start.py", "import sys\nsys.path.append('site-packages')\nimport m\n")
    assert live("start", "m")["m"]["verdict"] == "proven"
    project.write("patch.py", f"import m\ndef new(*a): ...\nm.{name} = new\n")
    result = live("start", "patch", "m")["m"]
    assert result["verdict"] == "contradicted"
    assert evidence(result, "replaced") == f"{name} by {project.root}/patch.py:2"


def test_the_module_that_still_holds_what_was_replaced_is_named(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write("user.py", "from m import f\n")
    project.write("patch.py", "import m, user\nm.f = lambda a: a\n")
    result = live("patch", "m")["m"]
    assert evidence(result, "older") == f"user.f ({project.root}/m.py:2)"


def test_a_deleted_function_is_missing(project: Project, live: Live) -> None:
    project.write("m.py", OLD)
    project.write("patch.py", "import m\ndel m.C.g\n")
    result = live("patch", "m")["m"]
    assert (result["verdict"], evidence(result, "missing")) == ("contradicted", "C.g")


def test_a_decorator_of_another_file_is_told_and_no_difference(
    project: Project, live: Live
) -> None:
    project.write(
        "deco.py", "def twice(f):\n    def run(*a):\n        return f(*a)\n    return run\n"
    )
    project.write("m.py", "from deco import twice\n@twice\ndef f(a):\n    return a\n")
    result = live("m")["m"]
    assert result["seen"] == "1 function matches, 1 of them wrapped"
    assert evidence(result, "wrapped") == f"f by {project.root}/deco.py:2"


def test_what_a_decorator_hides_is_counted_apart(project: Project, live: Live) -> None:
    project.write("m.py", f"def no(f): ...\n@no\ndef hidden():\n    return 1\n{OLD}")
    result = live("m")["m"]
    assert result["seen"] == "3 functions match, 1 cannot be followed"
    assert evidence(result, "not followed") == "hidden"


def test_what_a_decorator_without_a_name_gives_is_unproven(project: Project, live: Live) -> None:
    project.write("m.py", f"@lambda f: print\ndef hidden():\n    return 1\n{OLD}")
    assert live("m")["m"]["seen"] == "2 functions match; 1 behind another object"


def test_objects_that_do_harm_when_they_are_looked_at_are_left_alone(
    project: Project, live: Live
) -> None:
    text = (
        "class Trap:\n"
        "    def __getattribute__(self, name):\n        raise SystemExit(name)\n"
        "    def __eq__(self, other):\n        raise SystemExit\n"
        "    __hash__ = None\n"
        "class Meta(type):\n"
        "    def __getattribute__(cls, name):\n        raise SystemExit(name)\n"
        "class Touchy(metaclass=Meta):\n    def f(self):\n        return 1\n"
        "trap, NAMES = Trap(), {Touchy: 1}\n"
    )
    project.write("m.py", text)
    assert live("m")["m"]["seen"] == "4 functions match"


def test_a_module_that_replaces_itself_is_compared_through_what_took_its_place(
    project: Project, live: Live
) -> None:
    text = (
        "import sys\ndef f():\n    return 1\n"
        "class Lazy(type(sys)):\n    def __getattr__(self, name):\n        return f\n"
        "sys.modules[__name__] = Lazy(__name__)\nsys.modules[__name__].__spec__ = __spec__\n"
    )
    project.write("m.py", text)
    assert live("m")["m"]["seen"] == "2 functions match"


def test_functions_that_cannot_be_reached_are_unproven(project: Project, live: Live) -> None:
    text = (
        "import sys, types\ndef f():\n    return 1\n"
        "sys.modules[__name__] = types.SimpleNamespace(__spec__=__spec__)\n"
    )
    project.write("m.py", text)
    assert live("m")["m"]["seen"] == "none of 1 function can be reached"


def test_code_run_by_exec_in_a_module_is_not_taken_for_its_source(
    project: Project, live: Live
) -> None:
    text = (
        "from collections import namedtuple\nfrom dataclasses import dataclass\n"
        "P = namedtuple('P', 'a b')\n@dataclass\nclass D:\n    a: int = 1\n"
        "exec('def f(): return 1')\ndef g():\n    return 2\n"
    )
    project.write("m.py", text)
    assert live("m")["m"]["seen"] == "1 function matches"
