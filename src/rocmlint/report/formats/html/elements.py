"""Writing HTML: text becomes harmless once, and only what is HTML becomes part of an element."""

from __future__ import annotations

from html import escape
from typing import NewType

from rocmlint.text.visible import visible

Html = NewType("Html", str)
"""Text that is safe to write into a page."""
NOTHING = Html("")


def text(value: object) -> Html:
    """Return a text as it can be shown: what does not print is written as an escape.

    It is ASCII, so that no encoding of a stream can spoil it.
    """
    shown = "\n".join(escape(visible(line)) for line in str(value).split("\n"))
    return Html(shown.encode("ascii", "xmlcharrefreplace").decode())


def element(tag: str, *inside: Html, **attributes: str) -> Html:
    """Return an element; ``class_`` and ``aria_label`` are attributes with a hyphen or a keyword.

    An attribute with an empty value is left out.
    """
    names = {name: name.rstrip("_").replace("_", "-") for name in attributes}
    attributes_text = "".join(
        f' {names[name]}="{text(value)}"' for name, value in attributes.items() if value
    )
    return Html(f"<{tag}{attributes_text}>{''.join(inside)}</{tag}>")


def joined(*parts: Html) -> Html:
    """Return several pieces as one."""
    return Html("".join(parts))
