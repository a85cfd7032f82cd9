"""What a rule is made of: the one import that a rule author needs.

``docs/rule-authors.md`` lists what a rule may ask, and which helper answers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import exported

if TYPE_CHECKING:
    from rocmlint.config.option import Option
    from rocmlint.findings import Claim, Edit, Finding, Fix, Related, Severity
    from rocmlint.formats.installs.install import IndexOption, Install, install_of, installs_of
    from rocmlint.formats.model import (
        Command,
        Copy,
        Declared,
        DeepSpeedConfig,
        Entry,
        Index,
        Parts,
        Redirect,
        Setting,
        Word,
    )
    from rocmlint.lazy import compile_lazily
    from rocmlint.rule.reasons import gives_reason, is_explained_beside
    from rocmlint.rule.rule import ClaimRule, EngineRule, PartRule, PythonRule, Rule
    from rocmlint.rule.shapes import last_name
    from rocmlint.rule.triggers import (
        On,
        assignments,
        attributes,
        calls,
        commands,
        comments,
        configurations,
        copies,
        declared,
        definitions,
        imports,
        indexes,
        nodes,
        remarks,
        settings,
        strings,
    )
    from rocmlint.source.attribute_patches import AttributePatch, attribute_patches
    from rocmlint.source.called_commands import commands_called
    from rocmlint.source.conditions import Condition, conditions
    from rocmlint.source.document import document_beside
    from rocmlint.source.elsewhere import Elsewhere, defined_elsewhere
    from rocmlint.source.environment_defaults import is_default
    from rocmlint.source.environment_settings import EnvironmentSetting, environment_settings
    from rocmlint.source.facts import once_per_file
    from rocmlint.source.file import File
    from rocmlint.source.mentions import mentions, occurs
    from rocmlint.source.python import Source
    from rocmlint.syntax.names import Binding
    from rocmlint.syntax.nodes import (
        argument,
        calls_in,
        constant,
        dotted_text,
        statements,
        string_value,
    )
    from rocmlint.syntax.walk import children, walk
    from rocmlint.text.patterns import spaced, whole_word
    from rocmlint.text.python_ast import syntax_tree
    from rocmlint.text.text import Comment, Span, Text
    from rocmlint.text.words import fitted, shortened

__all__ = [
    "AttributePatch",
    "Binding",
    "Claim",
    "ClaimRule",
    "Command",
    "Comment",
    "Condition",
    "Copy",
    "Declared",
    "DeepSpeedConfig",
    "Edit",
    "Elsewhere",
    "EngineRule",
    "Entry",
    "EnvironmentSetting",
    "File",
    "Finding",
    "Fix",
    "Index",
    "IndexOption",
    "Install",
    "On",
    "Option",
    "PartRule",
    "Parts",
    "PythonRule",
    "Redirect",
    "Related",
    "Rule",
    "Setting",
    "Severity",
    "Source",
    "Span",
    "Text",
    "Word",
    "argument",
    "assignments",
    "attribute_patches",
    "attributes",
    "calls",
    "calls_in",
    "children",
    "commands",
    "commands_called",
    "comments",
    "compile_lazily",
    "conditions",
    "configurations",
    "constant",
    "copies",
    "declared",
    "defined_elsewhere",
    "definitions",
    "document_beside",
    "dotted_text",
    "environment_settings",
    "fitted",
    "gives_reason",
    "imports",
    "indexes",
    "install_of",
    "installs_of",
    "is_default",
    "is_explained_beside",
    "last_name",
    "mentions",
    "nodes",
    "occurs",
    "once_per_file",
    "remarks",
    "settings",
    "shortened",
    "spaced",
    "statements",
    "string_value",
    "strings",
    "syntax_tree",
    "walk",
    "whole_word",
]

_HOME = {
    "AttributePatch": "rocmlint.source.attribute_patches",
    "Binding": "rocmlint.syntax.names",
    "Claim": "rocmlint.findings",
    "ClaimRule": "rocmlint.rule.rule",
    "Command": "rocmlint.formats.model",
    "Comment": "rocmlint.text.text",
    "DeepSpeedConfig": "rocmlint.formats.model",
    "Entry": "rocmlint.formats.model",
    "configurations": "rocmlint.rule.triggers",
    "Condition": "rocmlint.source.conditions",
    "Copy": "rocmlint.formats.model",
    "Declared": "rocmlint.formats.model",
    "Edit": "rocmlint.findings",
    "Elsewhere": "rocmlint.source.elsewhere",
    "EngineRule": "rocmlint.rule.rule",
    "EnvironmentSetting": "rocmlint.source.environment_settings",
    "File": "rocmlint.source.file",
    "Finding": "rocmlint.findings",
    "Fix": "rocmlint.findings",
    "Index": "rocmlint.formats.model",
    "IndexOption": "rocmlint.formats.installs.install",
    "Install": "rocmlint.formats.installs.install",
    "On": "rocmlint.rule.triggers",
    "Option": "rocmlint.config.option",
    "PartRule": "rocmlint.rule.rule",
    "Parts": "rocmlint.formats.model",
    "PythonRule": "rocmlint.rule.rule",
    "Redirect": "rocmlint.formats.model",
    "Related": "rocmlint.findings",
    "Rule": "rocmlint.rule.rule",
    "Setting": "rocmlint.formats.model",
    "Severity": "rocmlint.findings",
    "Source": "rocmlint.source.python",
    "Span": "rocmlint.text.text",
    "Text": "rocmlint.text.text",
    "Word": "rocmlint.formats.model",
    "argument": "rocmlint.syntax.nodes",
    "assignments": "rocmlint.rule.triggers",
    "attribute_patches": "rocmlint.source.attribute_patches",
    "attributes": "rocmlint.rule.triggers",
    "calls": "rocmlint.rule.triggers",
    "calls_in": "rocmlint.syntax.nodes",
    "children": "rocmlint.syntax.walk",
    "commands": "rocmlint.rule.triggers",
    "commands_called": "rocmlint.source.called_commands",
    "comments": "rocmlint.rule.triggers",
    "compile_lazily": "rocmlint.lazy",
    "conditions": "rocmlint.source.conditions",
    "constant": "rocmlint.syntax.nodes",
    "copies": "rocmlint.rule.triggers",
    "declared": "rocmlint.rule.triggers",
    "document_beside": "rocmlint.source.document",
    "defined_elsewhere": "rocmlint.source.elsewhere",
    "definitions": "rocmlint.rule.triggers",
    "dotted_text": "rocmlint.syntax.nodes",
    "environment_settings": "rocmlint.source.environment_settings",
    "fitted": "rocmlint.text.words",
    "gives_reason": "rocmlint.rule.reasons",
    "imports": "rocmlint.rule.triggers",
    "indexes": "rocmlint.rule.triggers",
    "install_of": "rocmlint.formats.installs.install",
    "installs_of": "rocmlint.formats.installs.install",
    "is_default": "rocmlint.source.environment_defaults",
    "is_explained_beside": "rocmlint.rule.reasons",
    "last_name": "rocmlint.rule.shapes",
    "nodes": "rocmlint.rule.triggers",
    "mentions": "rocmlint.source.mentions",
    "occurs": "rocmlint.source.mentions",
    "once_per_file": "rocmlint.source.facts",
    "remarks": "rocmlint.rule.triggers",
    "settings": "rocmlint.rule.triggers",
    "shortened": "rocmlint.text.words",
    "spaced": "rocmlint.text.patterns",
    "statements": "rocmlint.syntax.nodes",
    "string_value": "rocmlint.syntax.nodes",
    "strings": "rocmlint.rule.triggers",
    "syntax_tree": "rocmlint.text.python_ast",
    "walk": "rocmlint.syntax.walk",
    "whole_word": "rocmlint.text.patterns",
}


def __getattr__(name: str) -> object:
    return exported(__name__, name, _HOME)
