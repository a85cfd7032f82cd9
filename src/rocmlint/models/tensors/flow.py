"""Following the statements of a file: what each name holds where it is used."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors.conditions import below, both
from rocmlint.models.tensors.expressions import Expressions, gated_join
from rocmlint.models.tensors.objects import SELF, Objects
from rocmlint.models.tensors.parameter_guesses import is_setting, of_annotation, of_parameter
from rocmlint.models.tensors.torch_names import is_tensor_attribute
from rocmlint.models.tensors.unpassed_defaults import Passed
from rocmlint.models.tensors.value_facts import (
    PYTHON,
    UNKNOWN,
    Held,
    Kind,
    container,
    fixed,
    is_container,
    join,
)
from rocmlint.python.scopes import FUNCTIONS, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.models.tensors.definitions import Definitions, Function
    from rocmlint.models.tensors.dependence import Reach
    from rocmlint.models.tensors.reach import Reaches

    Env = dict[str, Held]

PASSES = 2
"""What a function returns is known to those that call it from the second pass on."""
_TELLING = frozenset(
    {"shape", "size", "device", "dtype", "dim", "ndim", "tolist", "view", "reshape"}
)
"""Attributes that show that a parameter is no list of tensors, whatever its annotation."""
_ROUNDS = 3
"""How often the body of a loop is followed, for what one iteration leaves for the next."""


class Flow:
    """Follows every function of a file."""

    def __init__(self, tree: ast.Module, definitions: Definitions, reaches: Reaches) -> None:
        """Take the tree, what it defines, and when that runs."""
        self.tree = tree
        self.definitions = definitions
        self._objects = Objects(definitions)
        self.expressions = Expressions(definitions, self._objects, reaches)
        self._passed = Passed(tree, definitions)
        self._returned: list[Held] = []
        self._loops: list[list[Env]] = []
        self._reach: Reach = "live"

    def run(self) -> dict[ast.expr, Held]:
        """Return what the expressions of the file hold."""
        for _ in range(PASSES):
            module: Env = {}
            self._block(self.tree.body, module)
            self.expressions.globals = module
            for each in sorted(self.definitions.functions, key=_order):
                if each.outer is None:
                    self._follow(each, {})
        return self.expressions.held

    # Functions

    def _follow(self, function: Function, closure: Env) -> None:
        kept = (self._objects.function, self._returned, self._loops, self._reach)
        self._objects.function, self._returned, self._loops = function, [], []
        self._reach = "live"
        env = {**closure, **self._parameters(function)}
        self._block(function.node.body, env)
        function.returned = self._summary(function)
        self._objects.function, self._returned, self._loops, self._reach = kept

    def _parameters(self, function: Function) -> Env:
        arguments = function.node.args
        env: Env = {}
        positional = [*arguments.posonlyargs, *arguments.args]
        if function.is_method and positional:
            env[positional[0].arg] = SELF
        is_forward = function.is_method and function.node.name == "forward"
        defaults = _defaults(arguments)
        for index, each in enumerate(function.parameters()):
            default = defaults.get(each.arg)
            first = is_forward and index == 0
            env[each.arg] = self._parameter(function, each, default, first=first)
        if arguments.vararg is not None:
            annotation = arguments.vararg.annotation
            env[arguments.vararg.arg] = container(
                UNKNOWN if annotation is None else of_annotation(annotation)
            )
        if arguments.kwarg is not None:
            env[arguments.kwarg.arg] = UNKNOWN
        for name, attributes in _used_attributes(function.node, env).items():
            if not all(map(is_tensor_attribute, attributes)):
                env[name] = UNKNOWN
            elif attributes & _TELLING:
                env[name] = env[name]._replace(sure=True)
        for default_value in (*arguments.defaults, *arguments.kw_defaults):
            if default_value is not None:
                self.expressions.of(default_value, {})
        return env

    def _parameter(
        self, function: Function, node: ast.arg, default: ast.expr | None, *, first: bool
    ) -> Held:
        held = of_parameter(node.arg, node.annotation, first_of_forward=first)
        if isinstance(default, ast.Constant) and default.value is not None:
            return PYTHON if held.kind in {Kind.UNKNOWN, Kind.TENSOR} else held
        if isinstance(default, ast.Constant) and self._passed.is_never(function, node.arg):
            return PYTHON
        given = function.given.get(node.arg)
        if given is None or given.kind is Kind.UNKNOWN:
            return held
        if held.kind is Kind.UNKNOWN and not held.of:
            return given
        if held.kind is Kind.TENSOR:
            is_size = given.kind is Kind.SHAPE and function.node.name.startswith("_")
            return given if given.kind is Kind.TENSOR or is_container(given) or is_size else held
        depends = given.depends or given.kind is Kind.TENSORS
        return (
            given if depends and given.sure and not held.of and not is_setting(node.arg) else held
        )

    def _summary(self, function: Function) -> Held:
        """Return what a function returns: elements of tuples one by one."""
        found: Held | None = None
        for each in self._returned:
            found = each if found is None else join(found, each)
        annotation = function.node.returns
        if annotation is not None and (found is None or found.kind is Kind.UNKNOWN):
            told = of_annotation(annotation)
            if told.kind is not Kind.PYTHON:
                return told
        if annotation is not None and found is not None and found.items is not None:
            told = of_annotation(annotation)
            if told.items is not None and len(told.items) == len(found.items):
                return fixed(map(_clearer, found.items, told.items))
        return PYTHON if found is None else found

    # Statements

    def _block(self, body: Iterable[ast.stmt], env: Env) -> bool:
        """Follow statements, which changes ``env``; return whether the end is reached."""
        reach = self._reach
        goes_on = all(self._statement(each, env) for each in body)
        self._reach = reach
        return goes_on

    def _statement(self, node: ast.stmt, env: Env) -> bool:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node, env)
            case ast.ClassDef():
                self._block([each for each in node.body if not _defines(each)], dict(env))
            case ast.Return(value=value):
                held = PYTHON if value is None else self.expressions.of(value, env)
                if held.depends and held.gate is None and self._reach != "live":
                    held = held._replace(gate=self._reach)
                self._returned.append(held)
                return False
            case ast.Raise():
                self._look_at(node, env)
                return False
            case ast.Break() | ast.Continue():
                if self._loops:
                    self._loops[-1].append(dict(env))
                return False
            case ast.If(test=test, body=body, orelse=orelse):
                return self._if(test, body, orelse, env)
            case ast.For() | ast.AsyncFor():
                self._for(node, env)
            case ast.While(test=test, body=body, orelse=orelse):
                self._loop(test, body, env)
                return self._block(orelse, env)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for each in items:
                    held = self.expressions.of(each.context_expr, env)
                    if each.optional_vars is not None:
                        self.expressions.bind(each.optional_vars, held, env)
                return self._block(body, env)
            case ast.Try():
                return self._try(node, env)
            case ast.Match(subject=subject, cases=cases):
                return self._match(subject, cases, env)
            case _:
                self._simple(node, env)
        return True

    def _simple(self, node: ast.stmt, env: Env) -> None:
        expressions = self.expressions
        match node:
            case ast.Assign(targets=targets, value=value):
                held = expressions.of(value, env)
                for target in targets:
                    expressions.bind(target, held, env)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                held = UNKNOWN if value is None else expressions.of(value, env)
                told = of_annotation(annotation)
                expressions.bind(target, held if held.kind is not Kind.UNKNOWN else told, env)
            case ast.AugAssign(target=target, op=op, value=value):
                stored = ast.BinOp(_loaded(target), op, value)
                expressions.bind(target, expressions.of(ast.copy_location(stored, node), env), env)
            case ast.Assert(test=test):
                self._look_at(node, env)
                env.update(expressions.narrowed(test, env, truth=True))
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register_buffer"), args=args)):
                self._look_at(node, env)
                self._register(args, env)
            case ast.Delete(targets=targets):
                for each in targets:
                    if isinstance(each, ast.Name):
                        env.pop(each.id, None)
            case _:
                self._look_at(node, env)

    def _look_at(self, node: ast.stmt, env: Env) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expressions.of(child, env)

    def _register(self, args: list[ast.expr], env: Env) -> None:
        match args:
            case [ast.Constant(value=str(name)), value, *_] if self._objects.owner is not None:
                self._objects.owner.keep(name, self.expressions.of(value, env))

    def _define(self, node: FunctionNode, env: Env) -> None:
        function = self.definitions.of_node.get(node)
        if function is not None and function.outer is not None:
            env.pop(node.name, None)
            self._follow(function, dict(env))

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], env: Env) -> bool:
        self.expressions.of(test, env)
        then = self.expressions.narrowed(test, env, truth=True)
        otherwise = self.expressions.narrowed(test, env, truth=False)
        reach, sides = self._reach, below(test)
        self._reach = both(reach, sides.then)
        goes_on = self._block(body, then)
        self._reach = both(reach, sides.otherwise)
        goes_on_otherwise = self._block(orelse, otherwise)
        self._reach = both(
            reach if goes_on else both(reach, sides.otherwise),
            None if goes_on_otherwise else sides.then,
        )
        if goes_on and goes_on_otherwise:
            merged = {
                name: gated_join(then[name], otherwise[name], test)
                if name in then and name in otherwise
                else then.get(name, otherwise.get(name, UNKNOWN))
                for name in then.keys() | otherwise.keys()
            }
        else:
            merged = then if goes_on else otherwise
        _replace(env, merged)
        return goes_on or goes_on_otherwise

    def _for(self, node: ast.For | ast.AsyncFor, env: Env) -> None:
        over = self.expressions.of(node.iter, env)

        def begin(env: Env) -> None:
            self.expressions.bind_loop(node.target, over, env)

        self._repeat(node.body, env, begin)
        self._block(node.orelse, env)

    def _loop(self, test: ast.expr, body: list[ast.stmt], env: Env) -> None:
        def begin(env: Env) -> None:
            self.expressions.of(test, env)
            env.update(self.expressions.narrowed(test, env, truth=True))

        self._repeat(body, env, begin)
        env.update(self.expressions.narrowed(test, env, truth=False))

    def _repeat(self, body: list[ast.stmt], env: Env, begin: Callable[[Env], None]) -> None:
        for _ in range(_ROUNDS):
            before = dict(env)
            self._loops.append([])
            inner = dict(env)
            begin(inner)
            left = [inner] if self._block(body, inner) else []
            for each in (*left, *self._loops.pop()):
                _merge(env, each)
            if env == before:
                break

    def _try(self, node: ast.Try, env: Env) -> bool:
        before = dict(env)
        goes_on = self._block([*node.body, *node.orelse], env)
        failed = dict(before)
        _merge(failed, env)
        ends = [env] if goes_on else []
        for handler in node.handlers:
            inner = dict(failed)
            if self._block(handler.body, inner):
                ends.append(inner)
        merged = dict(ends[0]) if ends else dict(failed)
        for each in ends[1:]:
            _merge(merged, each)
        _replace(env, merged)
        return self._block(node.finalbody, env) and bool(ends)

    def _match(self, subject: ast.expr, cases: list[ast.match_case], env: Env) -> bool:
        self.expressions.of(subject, env)
        ends = [dict(env)]
        for case in cases:
            inner = dict(env)
            if case.guard is not None:
                self.expressions.of(case.guard, inner)
            if self._block(case.body, inner):
                ends.append(inner)
        merged = ends[0]
        for each in ends[1:]:
            _merge(merged, each)
        _replace(env, merged)
        return True


def _merge(env: Env, other: Env) -> None:
    for name, held in other.items():
        env[name] = join(env[name], held) if name in env else held


def _replace(env: Env, new: Env) -> None:
    if env is not new:
        kept = dict(new)
        env.clear()
        env.update(kept)


def _order(function: Function) -> tuple[bool, bool]:
    """Sort what makes the attributes of objects first, and what needs them most last."""
    name = function.node.name
    return (name not in {"__init__", "__post_init__", "setup", "_setup"}, name == "forward")


def _defaults(arguments: ast.arguments) -> dict[str, ast.expr | None]:
    positional = [*arguments.posonlyargs, *arguments.args]
    given = arguments.defaults
    found: dict[str, ast.expr | None] = {
        each.arg: value
        for each, value in zip(positional[len(positional) - len(given) :], given, strict=True)
    }
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {each.arg: value for each, value in named}


def _used_attributes(node: ast.AST, env: Env) -> dict[str, set[str]]:
    """Return the attributes that a function uses of the parameters that may be tensors."""
    found: dict[str, set[str]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            if each.value.id in env and env[each.value.id].kind is Kind.TENSOR:
                found.setdefault(each.value.id, set()).add(each.attr)
    return found


def _clearer(found: Held, told: Held) -> Held:
    return told if found.kind is Kind.UNKNOWN and told.kind is not Kind.PYTHON else found


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Attribute(value=value, attr=attribute):
            return ast.copy_location(ast.Attribute(value, attribute, ast.Load()), target)
        case ast.Subscript(value=value, slice=index):
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), target)
    return target


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, (*FUNCTIONS, ast.ClassDef))
