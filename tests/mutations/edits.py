"""Small mistakes that may be made in a Python source: every edit of one expression or statement.

An operator, a constant, an argument, a condition, a row of a table or a statement changes. Left alone are
type annotations, decorators, imports, `__all__`, assertions, texts, arguments of raised errors, and
code for type checkers or behind `__main__`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

_SWAPPED: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
}
_FUNCTIONS: Mapping[str, str] = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SYMMETRIC = {"min", "max", "gcd", "lcm", "print", "isclose"}
"""Functions whose value does not depend on the order of arguments."""
_TYPED = {"isinstance", "issubclass", "cast", "getattr", "hasattr", "TypeVar"}
"""Functions whose arguments cannot be swapped by mistake."""
_COSMETIC = {"strict", "stacklevel", "repr", "maxsize", "indent", "help"}
"""Keywords that change no result."""


@dataclass(frozen=True)
class Edit:
    """Another text for the characters from `start` up to `end` of a source."""

    kind: str
    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Source:
    """A source with the places of its nodes, as numbers of characters."""

    text: str

    @cached_property
    def _lines(self) -> Sequence[tuple[int, str]]:
        lines = [f"{line}\n" for line in self.text.split("\n")]
        return list(zip(accumulate(map(len, lines), initial=0), lines, strict=False))

    def span(self, node: Any) -> tuple[int, int]:
        """Where a node starts and ends."""
        start = self._offset(node.lineno, node.col_offset)
        return start, self._offset(node.end_lineno, node.end_col_offset)

    def outer(self, node: ast.AST, within: tuple[int, int]) -> tuple[int, int]:
        """Where a node starts and ends with the parentheses around it, inside of its parent."""
        (start, end), (first, last) = self.span(node), within
        while True:
            before = len(self.text[first:start].rstrip()) + first
            after = last - len(self.text[end:last].lstrip())
            if self.text[first:before][-1:] != "(" or self.text[after:last][:1] != ")":
                return start, end
            start, end = before - 1, after + 1

    def cut(self, span: tuple[int, int]) -> str:
        """The text of some characters."""
        return self.text[slice(*span)]

    def _offset(self, line: int, column: int) -> int:
        # Columns of the parser are in bytes of UTF-8.
        start, text = self._lines[line - 1]
        return start + len(text.encode()[:column].decode())


def edits(text: str) -> list[Edit]:
    """All mistakes that may be made in a source, by place."""
    source = Source(text)
    found = [
        edit
        for node, parent in _nodes(ast.parse(text), None)
        for make in _MAKERS.get(type(node), ())
        for edit in make(source, node, parent)
    ]
    return sorted(found, key=lambda edit: (edit.start, edit.end, edit.kind, edit.new))


def _nodes(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """What may change below a node, with its parent."""
    yield node, parent
    for name, value in ast.iter_fields(node):
        if (type(node), name) in _LEFT_ALONE or (name != "orelse" and _is_idle(node)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_alone(child):
                yield from _nodes(child, node)


_LEFT_ALONE: set[tuple[type[ast.AST], str]] = {
    (ast.arg, "annotation"),
    (ast.AnnAssign, "annotation"),
    (ast.FunctionDef, "returns"),
    (ast.FunctionDef, "decorator_list"),
    (ast.ClassDef, "decorator_list"),
    (ast.Raise, "exc"),
    (ast.Raise, "cause"),
}


def _is_idle(node: ast.AST) -> bool:
    """Whether a node is an `if` whose body does not run in the package."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in (
        "TYPE_CHECKING",
        "__name__ == '__main__'",
    )


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in ("__all__", "__slots__")
        case ast.keyword(arg=name):
            return name in _COSMETIC
        case ast.Call(func=ast.Name(id="cast" | "TypeVar")):
            return True
        case _:
            return False


def _operator(source: Source, op: ast.AST, kind: str, start: int, end: int) -> Iterator[Edit]:
    """Another operator in the text between two operands."""
    old, new = _SWAPPED.get(type(op), ("", ""))
    gap = source.text[start:end]
    pattern = re.escape(old).replace("\\ ", r"\s+")
    if old and "#" not in gap and (match := re.search(pattern, gap)) is not None:
        yield Edit(kind, start + match.start(), start + match.end(), new)


def _compared(source: Source, node: ast.Compare, _: object) -> Iterator[Edit]:
    operands = map(source.span, [node.left, *node.comparators])
    for op, ((_, start), (end, _)) in zip(node.ops, pairwise(operands), strict=True):
        yield from _operator(source, op, "wrong comparison", start, end)


def _computed(source: Source, node: ast.BinOp, _: object) -> Iterator[Edit]:
    if not _is_union(node) and not _is_sequence(node.left) and not _is_sequence(node.right):
        start, end = source.span(node.left)[1], source.span(node.right)[0]
        yield from _operator(source, node.op, "wrong operator", start, end)


def _is_union(node: ast.BinOp) -> bool:
    """Whether a `|` joins types, which are written with an upper case letter."""
    name = ast.unparse(node.right).rpartition(".")[2]
    return isinstance(node.op, ast.BitOr) and (name[:1].isupper() or name in ("int", "str", "list"))


def _is_sequence(node: ast.AST) -> bool:
    """Whether an operand is a text or a list to see, which have no operator but one."""
    match node:
        case ast.Constant(value=str() | bytes()) | ast.JoinedStr() | ast.List() | ast.ListComp():
            return True
        case ast.BinOp():
            return _is_sequence(node.left) or _is_sequence(node.right)
        case _:
            return False


def _changed(source: Source, node: ast.AugAssign, _: object) -> Iterator[Edit]:
    if not _is_sequence(node.value):
        start, end = source.span(node.target)[1], source.span(node.value)[0]
        yield from _operator(source, node.op, "wrong operator", start, end)


def _connected(source: Source, node: ast.BoolOp, _: object) -> Iterator[Edit]:
    whole = source.span(node)
    spans = [source.outer(value, whole) for value in node.values]
    for (first, start), (end, last) in pairwise(spans):
        yield from _operator(source, node.op, "and for or", start, end)
        if first == spans[0][0]:
            yield Edit("dropped condition", first, end, "")
        yield Edit("dropped condition", start, last, "")


def _negated(source: Source, node: ast.UnaryOp, _: object) -> Iterator[Edit]:
    if isinstance(node.op, ast.Not | ast.USub):
        kind = "dropped negation" if isinstance(node.op, ast.Not) else "wrong sign"
        whole = source.span(node)
        yield Edit(kind, *whole, source.cut(source.outer(node.operand, whole)))


def _counted(source: Source, node: ast.Constant, _: object) -> Iterator[Edit]:
    match node.value:
        case bool(value):
            yield Edit("wrong constant", *source.span(node), str(not value))
        case int(value):
            for new in (value - 1, value + 1) if value else (1,):
                yield Edit("off by one", *source.span(node), str(new))
        case _:
            return


def _chosen(source: Source, node: ast.IfExp, _: object) -> Iterator[Edit]:
    whole = source.span(node)
    first, test, last = (source.outer(part, whole) for part in (node.body, node.test, node.orelse))
    middle = source.text[first[1] : test[0]], source.text[test[1] : last[0]]
    new = source.cut(last) + middle[0] + source.cut(test) + middle[1] + source.cut(first)
    yield Edit("swapped branches", first[0], last[1], new)


def _called(source: Source, node: ast.Call, _: object) -> Iterator[Edit]:
    name = ast.unparse(node.func).rpartition(".")[2]
    if isinstance(node.func, ast.Name) and name in _FUNCTIONS:
        yield Edit("wrong function", *source.span(node.func), _FUNCTIONS[name])
    if name == "isinstance" and isinstance(node.args[-1], ast.BinOp):
        types = node.args[-1]
        for kept in (types.left, types.right):
            yield Edit("dropped case", *source.span(types), source.cut(source.span(kept)))
    if name not in _TYPED | _SYMMETRIC:
        inside = source.span(node.func)[1] + 1, source.span(node)[1] - 1
        for first, second in pairwise(node.args):
            yield from _exchanged(source, "swapped arguments", first, second, inside)


def _exchanged(
    source: Source, kind: str, first: ast.AST, second: ast.AST, within: tuple[int, int]
) -> Iterator[Edit]:
    """Two neighbours in each other's place."""
    # Anything that runs at all fails with a list or a text in the place of a name.
    if isinstance(first, ast.Starred) or _sort(first) is not _sort(second):
        return
    one, two = source.outer(first, within), source.outer(second, within)
    if source.cut(one) != source.cut(two):
        new = source.cut(two) + source.text[one[1] : two[0]] + source.cut(one)
        yield Edit(kind, one[0], two[1], new)


def _sort(node: ast.AST) -> type:
    """What an expression may be mistaken for."""
    if isinstance(node, ast.Constant):
        return type(node.value)
    return ast.Name if isinstance(node, ast.Attribute | ast.Subscript) else type(node)


def _mapped(source: Source, node: ast.Dict, _: object) -> Iterator[Edit]:
    whole = source.span(node)
    inside = whole[0] + 1, whole[1] - 1
    for (key, first), (other, second) in pairwise(zip(node.keys, node.values, strict=True)):
        if key is not None and other is not None:
            yield from _exchanged(source, "swapped entries", first, second, inside)
    if len(node.values) > 1 and None not in node.keys:
        starts = [source.span(key)[0] for key in node.keys]
        ends = [source.outer(value, inside)[1] for value in node.values]
        yield from _dropped_entries(source, starts, ends)


def _listed(
    source: Source, node: ast.Tuple | ast.List | ast.Set, parent: ast.AST | None
) -> Iterator[Edit]:
    # A table has a name of its own; without an element another tuple has the wrong length.
    match parent:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=value):
            is_table = value is node
        case _:
            is_table = False
    if is_table and len(node.elts) > 2:
        whole = source.span(node)
        inside = whole[0] + 1, whole[1] - 1
        spans = [source.outer(element, inside) for element in node.elts]
        yield from _dropped_entries(source, [a for a, _ in spans], [b for _, b in spans])


def _dropped_entries(source: Source, starts: Sequence[int], ends: Sequence[int]) -> Iterator[Edit]:
    for start, next_start in pairwise(starts):
        yield Edit("dropped entry", start, next_start, "")
    yield Edit("dropped entry", ends[-2], ends[-1], "")


def _filtered(source: Source, node: Any, _: object) -> Iterator[Edit]:
    whole = source.span(node)
    inside = whole[0] + 1, whole[1] - 1
    for generator in node.generators:
        conditions = [source.outer(test, inside) for test in generator.ifs]
        for start, end in conditions:
            word = source.text.rindex("if", whole[0], start)
            yield Edit("dropped condition", len(source.text[:word].rstrip()), end, "")


def _matched(source: Source, node: ast.MatchOr, _: object) -> Iterator[Edit]:
    spans = [source.span(pattern) for pattern in node.patterns]
    yield Edit("dropped case", spans[0][0], spans[1][0], "")
    for (_, start), (_, end) in pairwise(spans):
        yield Edit("dropped case", start, end, "")


def _done(source: Source, node: ast.stmt, parent: ast.AST | None) -> Iterator[Edit]:
    """A statement without which the ones after it still run."""
    match node:
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            pass
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Delete():
            pass
        case ast.Return() | ast.Raise() if isinstance(parent, ast.If) and not parent.orelse:
            pass
        case _:
            return
    yield Edit("dropped statement", *source.span(node), "pass")


_Maker = Callable[[Source, Any, ast.AST | None], Iterator[Edit]]
_MAKERS: Mapping[type[ast.AST], Sequence[_Maker]] = {
    ast.Compare: (_compared,),
    ast.BinOp: (_computed,),
    ast.AugAssign: (_changed, _done),
    ast.BoolOp: (_connected,),
    ast.UnaryOp: (_negated,),
    ast.Constant: (_counted,),
    ast.IfExp: (_chosen,),
    ast.Call: (_called,),
    ast.Dict: (_mapped,),
    ast.Tuple: (_listed,),
    ast.List: (_listed,),
    ast.Set: (_listed,),
    ast.ListComp: (_filtered,),
    ast.SetComp: (_filtered,),
    ast.DictComp: (_filtered,),
    ast.GeneratorExp: (_filtered,),
    ast.MatchOr: (_matched,),
    ast.Expr: (_done,),
    ast.Continue: (_done,),
    ast.Break: (_done,),
    ast.Assign: (_done,),
    ast.Delete: (_done,),
    ast.Return: (_done,),
    ast.Raise: (_done,),
}
