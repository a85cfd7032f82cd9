"""Adding to a list in a TOML file: every byte that was there stays, or nothing is changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.change.toml_list import with_items
from rocmlint.errors import RewriteError

TOOL = ("tool", "rocmlint")
LINE = 'rules = ["own"]'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"[tool.rocmlint]\n{LINE}\n"),
        ("[project]\nname = 'x'", f"[project]\nname = 'x'\n\n[tool.rocmlint]\n{LINE}\n"),
        ("[a]\r\nb = 1\r\n", f"[a]\r\nb = 1\r\n\r\n[tool.rocmlint]\r\n{LINE}\r\n"),
        (
            "# é\n[tool.rocmlint]  # ours\npreview = true  # yes\n\n# next\n[b]\n",
            f"# é\n[tool.rocmlint]  # ours\npreview = true  # yes\n{LINE}\n\n# next\n[b]\n",
        ),
        ("[tool.rocmlint]", f"[tool.rocmlint]\n{LINE}"),
        ("[tool.rocmlint]\nrules = [] # x\n", f"[tool.rocmlint]\n{LINE} # x\n"),
        (
            "[tool.rocmlint]\nrules = ['a', ]  # x\n",
            "[tool.rocmlint]\nrules = ['a', \"own\", ]  # x\n",
        ),
        (
            "[tool.'rocmlint']\n\"rules\" = [\n    'a',  # one\n    'b'  # two\n]\n",
            "[tool.'rocmlint']\n\"rules\" = [\n    'a',  # one\n    'b',  # two\n    \"own\",\n]\n",
        ),
        ("[tool.rocmlint.x]\ny = 1\n", f"[tool.rocmlint.x]\ny = 1\n\n[tool.rocmlint]\n{LINE}\n"),
    ],
)
def test_an_item_is_added_and_all_else_stays(before: str, after: str) -> None:
    assert with_items(before, TOOL, "rules", ["own"]) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("preview = true\n[a]\nb = 1\n", f"preview = true\n{LINE}\n[a]\nb = 1\n"),
        ("# top\n\n# about a\n[a]\nb = 1\n", f"# top\n\n{LINE}\n\n# about a\n[a]\nb = 1\n"),
        ("# only this", f"# only this\n{LINE}\n"),
    ],
)
def test_without_a_table_a_key_comes_before_the_tables(before: str, after: str) -> None:
    assert with_items(before, (), "rules", ["own"]) == after


@pytest.mark.parametrize(
    "text",
    [
        "[tool]\nrocmlint = { preview = true }\n",
        "[tool]\nrocmlint.preview = true\n",
        "tool.rocmlint.preview = true\n",
        "[[tool.rocmlint]]\na = 1\n",
        "[tool.rocmlint]\nrules = 'own'\n",
        "[tool.rocmlint]\nrules = 3\n",
        "not TOML",
    ],
)
def test_what_cannot_be_edited_exactly_is_refused_with_the_line_to_add(text: str) -> None:
    with pytest.raises(RewriteError) as raised:
        with_items(text, TOOL, "rules", ["own"])
    assert 'add `rules = ["own"]` to [tool.rocmlint]' in str(raised.value)


PIECES = st.sampled_from(
    [
        *("[tool.rocmlint]", "[a]", "[[b]]", "rules = [", "]", '"x",', "'y'", "# rules = []"),
        *("rules = ['a']", "exclude = []", "preview = true", "", "  ", "rules = '''\n[", "'''"),
        *("x.y", "# é"),
    ]
)


@given(st.lists(PIECES, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_whatever_the_file_nothing_that_was_there_is_lost(lines: list[str], end: str) -> None:
    before = end.join(lines)
    try:
        after = with_items(before, TOOL, "rules", ["own"])
    except RewriteError:
        return
    characters = iter(after)
    assert all(each in characters for each in before)  # in this order, with others between them
