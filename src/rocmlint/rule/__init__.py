"""What a rule is made of: the one import that a rule author needs.

``docs/rule-authors.md`` lists what a rule may ask, and which helper answers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import exports

if TYPE_CHECKING:
    from rocmlint.config.option import Option as Option
    from rocmlint.findings import Claim as Claim
    from rocmlint.findings import Edit as Edit
    from rocmlint.findings import Finding as Finding
    from rocmlint.findings import Fix as Fix
    from rocmlint.findings import Related as Related
    from rocmlint.findings import Severity as Severity
    from rocmlint.formats.installs.install import IndexOption as IndexOption
    from rocmlint.formats.installs.install import Install as Install
    from rocmlint.formats.installs.install import install_of as install_of
    from rocmlint.formats.installs.install import installs_of as installs_of
    from rocmlint.formats.model import Command as Command
    from rocmlint.formats.model import Copy as Copy
    from rocmlint.formats.model import Declared as Declared
    from rocmlint.formats.model import DeepSpeedConfig as DeepSpeedConfig
    from rocmlint.formats.model import Entry as Entry
    from rocmlint.formats.model import Index as Index
    from rocmlint.formats.model import Parts as Parts
    from rocmlint.formats.model import Redirect as Redirect
    from rocmlint.formats.model import Setting as Setting
    from rocmlint.formats.model import Word as Word
    from rocmlint.lazy import compile_lazily as compile_lazily
    from rocmlint.rule.reasons import gives_reason as gives_reason
    from rocmlint.rule.reasons import is_explained_beside as is_explained_beside
    from rocmlint.rule.rule import ClaimRule as ClaimRule
    from rocmlint.rule.rule import EngineRule as EngineRule
    from rocmlint.rule.rule import PartRule as PartRule
    from rocmlint.rule.rule import PythonRule as PythonRule
    from rocmlint.rule.rule import Rule as Rule
    from rocmlint.rule.shapes import last_name as last_name
    from rocmlint.rule.triggers import On as On
    from rocmlint.rule.triggers import assignments as assignments
    from rocmlint.rule.triggers import attributes as attributes
    from rocmlint.rule.triggers import calls as calls
    from rocmlint.rule.triggers import commands as commands
    from rocmlint.rule.triggers import comments as comments
    from rocmlint.rule.triggers import configurations as configurations
    from rocmlint.rule.triggers import copies as copies
    from rocmlint.rule.triggers import declared as declared
    from rocmlint.rule.triggers import definitions as definitions
    from rocmlint.rule.triggers import imports as imports
    from rocmlint.rule.triggers import indexes as indexes
    from rocmlint.rule.triggers import nodes as nodes
    from rocmlint.rule.triggers import remarks as remarks
    from rocmlint.rule.triggers import settings as settings
    from rocmlint.rule.triggers import strings as strings
    from rocmlint.source.attribute_patches import AttributePatch as AttributePatch
    from rocmlint.source.attribute_patches import attribute_patches as attribute_patches
    from rocmlint.source.called_commands import commands_called as commands_called
    from rocmlint.source.conditions import Condition as Condition
    from rocmlint.source.conditions import conditions as conditions
    from rocmlint.source.document import document_beside as document_beside
    from rocmlint.source.elsewhere import Elsewhere as Elsewhere
    from rocmlint.source.elsewhere import defined_elsewhere as defined_elsewhere
    from rocmlint.source.environment_defaults import is_default as is_default
    from rocmlint.source.environment_settings import EnvironmentSetting as EnvironmentSetting
    from rocmlint.source.environment_settings import environment_settings as environment_settings
    from rocmlint.source.facts import once_per_file as once_per_file
    from rocmlint.source.file import File as File
    from rocmlint.source.mentions import mentions as mentions
    from rocmlint.source.mentions import occurs as occurs
    from rocmlint.source.python import Source as Source
    from rocmlint.syntax.names import Binding as Binding
    from rocmlint.syntax.nodes import argument as argument
    from rocmlint.syntax.nodes import calls_in as calls_in
    from rocmlint.syntax.nodes import constant as constant
    from rocmlint.syntax.nodes import dotted_text as dotted_text
    from rocmlint.syntax.nodes import statements as statements
    from rocmlint.syntax.nodes import string_value as string_value
    from rocmlint.syntax.walk import children as children
    from rocmlint.syntax.walk import walk as walk
    from rocmlint.text.patterns import spaced as spaced
    from rocmlint.text.patterns import whole_word as whole_word
    from rocmlint.text.python_ast import syntax_tree as syntax_tree
    from rocmlint.text.text import Comment as Comment
    from rocmlint.text.text import Span as Span
    from rocmlint.text.text import Text as Text
    from rocmlint.text.words import fitted as fitted
    from rocmlint.text.words import shortened as shortened
else:
    __all__, __getattr__ = exports(
        __name__,
        {
            "rocmlint.config.option": "Option",
            "rocmlint.findings": "Claim Edit Finding Fix Related Severity",
            "rocmlint.formats.installs.install": "IndexOption Install install_of installs_of",
            "rocmlint.formats.model": (
                "Command Copy Declared DeepSpeedConfig Entry Index Parts Redirect Setting Word"
            ),
            "rocmlint.lazy": "compile_lazily",
            "rocmlint.rule.reasons": "gives_reason is_explained_beside",
            "rocmlint.rule.rule": "ClaimRule EngineRule PartRule PythonRule Rule",
            "rocmlint.rule.shapes": "last_name",
            "rocmlint.rule.triggers": (
                "On assignments attributes calls commands comments configurations copies "
                "declared definitions imports indexes nodes remarks settings strings"
            ),
            "rocmlint.source.attribute_patches": "AttributePatch attribute_patches",
            "rocmlint.source.called_commands": "commands_called",
            "rocmlint.source.conditions": "Condition conditions",
            "rocmlint.source.document": "document_beside",
            "rocmlint.source.elsewhere": "Elsewhere defined_elsewhere",
            "rocmlint.source.environment_defaults": "is_default",
            "rocmlint.source.environment_settings": "EnvironmentSetting environment_settings",
            "rocmlint.source.facts": "once_per_file",
            "rocmlint.source.file": "File",
            "rocmlint.source.mentions": "mentions occurs",
            "rocmlint.source.python": "Source",
            "rocmlint.syntax.names": "Binding",
            "rocmlint.syntax.nodes": (
                "argument calls_in constant dotted_text statements string_value"
            ),
            "rocmlint.syntax.walk": "children walk",
            "rocmlint.text.patterns": "spaced whole_word",
            "rocmlint.text.python_ast": "syntax_tree",
            "rocmlint.text.text": "Comment Span Text",
            "rocmlint.text.words": "fitted shortened",
        },
    )
