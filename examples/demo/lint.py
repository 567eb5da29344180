#!/usr/bin/env python3
"""A small linter: warns about names that are read before anything was assigned to them.

It has a bug: on shop.py, a realistic program of 300 lines, it dies with a KeyError. Whoever reported
it suspected the `del` in `Warehouse.reorder`. What marrow makes of shop.py says otherwise.
"""

from __future__ import annotations

import ast
import builtins
import sys


class Scope:
    """The names of one function, class or module, with the line of their last assignment."""

    def __init__(self, kind: str, parent: Scope | None) -> None:
        self.kind = kind
        self.parent = parent
        self.lines: dict[str, int] = {}

    def assign(self, name: str, line: int) -> None:
        self.lines[name] = line

    def forget(self, name: str) -> None:
        self.lines.pop(name, None)

    def knows(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.lines:
                return True
            scope = scope.parent
        return hasattr(builtins, name)

    def touch(self, name: str, line: int) -> None:
        """Note that a name was changed in place."""
        previous = self.lines[name]
        self.lines[name] = max(previous, line)


class Linter(ast.NodeVisitor):
    """Walks a module in the order of the text."""

    def __init__(self) -> None:
        self.scope = Scope("module", None)
        self.warnings: list[str] = []
        self.later: list[tuple[Scope, list[ast.stmt]]] = []

    def lint(self, tree: ast.Module) -> list[str]:
        self.scope.assign("__name__", 0)
        for statement in tree.body:
            self.visit(statement)
        while self.later:
            self.scope, body = self.later.pop(0)
            for statement in body:
                self.visit(statement)
        return self.warnings

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self.scope.assign((name.asname or name.name).split(".")[0], node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for name in node.names:
            self.scope.assign(name.asname or name.name, node.lineno)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.scope.assign(node.name, node.lineno)
        for decorator in node.decorator_list:
            self.visit(decorator)
        inner = Scope("function", self.scope)
        arguments = node.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            inner.assign(argument.arg, argument.lineno)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                inner.assign(extra.arg, extra.lineno)
        self.later.append((inner, node.body))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self.visit(base)
        outer, self.scope = self.scope, Scope("class", self.scope)
        for statement in node.body:
            self.visit(statement)
        self.scope = outer
        self.scope.assign(node.name, node.lineno)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name) and self.scope.kind == "function":
            self.scope.touch(node.target.id, node.lineno)
        else:
            self.visit(node.target)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.forget(target.id)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.scope.assign(node.name, node.lineno)
        self.generic_visit(node)

    def visit_comprehension_like(self, node: ast.AST) -> None:
        for generator in node.generators:  # type: ignore[attr-defined]
            self.visit(generator.iter)
            self.visit(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                self.visit(getattr(node, part))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_comprehension_like
    visit_GeneratorExp = visit_comprehension_like

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for argument in node.args.args:
            self.scope.assign(argument.arg, node.lineno)
        self.visit(node.body)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.scope.assign(node.id, node.lineno)
        elif not self.scope.knows(node.id):
            self.warnings.append(f"{node.lineno}: {node.id} is read before it is assigned")


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for warning in Linter().lint(tree):
        print(warning)


if __name__ == "__main__":
    main()
