"""What DeepSpeed's own sources say of its configuration: sections, settings and their types.

Nothing of DeepSpeed is imported. A section that is no class of settings, such as ``optimizer``,
takes whatever it is given, and says nothing here.
"""

from __future__ import annotations

import ast
import itertools
from typing import TYPE_CHECKING, Any

from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BASE = "DeepSpeedConfigModel"
"""The class of settings: it refuses those that it does not know."""
SECTIONS = {
    "zero_optimization": "DeepSpeedZeroConfig",
    "fp16": "DeepSpeedFP16Config",
    "bf16": "DeepSpeedBF16Config",
    "bfloat16": "DeepSpeedBF16Config",
    "hybrid_engine": "HybridEngineConfig",
    "tensorboard": "TensorBoardConfig",
    "wandb": "WandbConfig",
    "csv_monitor": "CSVConfig",
    "comet": "CometConfig",
    "comms_logger": "CommsLoggerConfig",
}
"""The classes that DeepSpeed makes of sections of a configuration, where a release has them."""
FILES = (
    "runtime/config.py",
    "runtime/constants.py",
    "runtime/precision_config.py",
    "runtime/fp16/loss_scaler.py",
    "runtime/activation_checkpointing/config.py",
    "runtime/checkpoint_engine/config.py",
    "runtime/data_pipeline/config.py",
    "runtime/data_pipeline/constants.py",
    "runtime/model_checkpointing/config.py",
    "runtime/model_checkpointing/constants.py",
    "runtime/swap_tensor/aio_config.py",
    "runtime/swap_tensor/constants.py",
    "runtime/tensor_parallel/config.py",
    "runtime/zenflow/zenflow_config.py",
    "runtime/zero/config.py",
    "runtime/zero/leaf_module_config.py",
    "runtime/zero/offload_config.py",
    "autotuning/config.py",
    "autotuning/constants.py",
    "comm/config.py",
    "comm/constants.py",
    "compile/config.py",
    "compression/config.py",
    "compression/constants.py",
    "datastates/config.py",
    "elasticity/config.py",
    "elasticity/constants.py",
    "elasticity/elasticity.py",
    "inference/config.py",
    "monitor/config.py",
    "monitor/constants.py",
    "nebula/config.py",
    "nebula/constants.py",
    "profiling/config.py",
    "profiling/constants.py",
    "utils/config.py",
)
"""The files that say it; not every release has all of them."""

Model = dict[str, Any]
"""``keys``: the settings at the top; ``words``: all that the sources name in the same way;
``classes``: each with the types of its settings.

A type is ``bool``, ``int``, ``float``, ``str``, ``dict``, ``list``, ``any``, ``one of: a, b``, or
the name of a class; a ``?`` at its end allows null.
"""


def read_model(texts: Iterable[str]) -> Model:
    """Read what the files of one release say, see :data:`Model`."""
    trees = [ast.parse(text) for text in texts]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    enums = {name: sorted(set(_members(node))) for name, node in classes.items() if _is_enum(node)}
    models = {name: node for name, node in classes.items() if _is_model(node)}
    constants = _constants(trees)
    return {
        "keys": sorted({key for node in nodes for key in _keys(node, constants)}),
        "words": sorted({each for node in nodes for each in _words(node)}),
        "classes": {
            name: dict(_settings(node, enums, frozenset(models)))
            for name, node in sorted(models.items())
        },
    }


def _is_model(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == BASE for base in node.bases)


def _is_enum(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Enum" for base in node.bases)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant):
            yield str(each.value.value)


def _constants(trees: Iterable[ast.Module]) -> dict[str, str]:
    """Return the names at module level that stand for strings: ``BFLOAT16 = "bf16"``."""
    return {
        target.id: node.value.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _keys(node: ast.AST, constants: Mapping[str, str]) -> Iterator[str]:
    """Yield what a node looks up at the top of a configuration."""
    asked: Iterable[ast.expr] = ()
    if isinstance(node, ast.Call):
        arguments = node.args
        if isinstance(node.func, ast.Attribute) and _is_configuration(node.func.value):
            asked = arguments[:1]
        elif arguments and _is_configuration(arguments[0]):
            asked = arguments[1:2]
    elif isinstance(node, ast.Subscript) and _is_configuration(node.value):
        asked = (node.slice,)
    elif isinstance(node, ast.Compare) and any(map(_is_configuration, node.comparators)):
        asked = (node.left,)
    for each in asked:
        if isinstance(each, ast.Name) and each.id in constants:
            yield from _words(ast.Constant(constants[each.id]))
        yield from _words(each)


def _words(node: ast.AST) -> Iterator[str]:
    """Yield a string that may be the name of a setting."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, str) and value.replace("_", "").isalnum():
        yield value


def _is_configuration(node: ast.expr) -> bool:
    """Check for ``param_dict``, ``self._param_dict`` and ``param_dict.keys()``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return last_name(node).lstrip("_") in {"param_dict", "ds_config"}


def _settings(
    node: ast.ClassDef, enums: Mapping[str, list[str]], models: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield the settings of a class with their types, by all their names."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            kind = _type(each.annotation, enums, models)
            for name in itertools.chain([each.target.id], _aliases(each.value)):
                yield name, kind


def _aliases(default: ast.expr | None) -> Iterator[str]:
    for each in default.keywords if isinstance(default, ast.Call) else ():
        if each.arg == "alias" and isinstance(each.value, ast.Constant):
            yield str(each.value.value)


def _type(annotation: ast.expr, enums: Mapping[str, list[str]], models: frozenset[str]) -> str:
    """Return the type of a setting as :data:`Model` writes it; ``any`` where it is another one."""
    if isinstance(annotation, ast.Subscript):
        generic = getattr(annotation.value, "id", "")
        if generic == "Optional":
            return _type(annotation.slice, enums, models).rstrip("?") + "?"
        return {"Dict": "dict", "List": "list"}.get(generic, "any")
    name = getattr(annotation, "id", "")
    if name in enums:
        return f"one of: {', '.join(enums[name])}"
    return name if name in {"bool", "int", "float", "str", "dict", "list", *models} else "any"
