"""Writes `docs/api.md`, the reference of the library, from its docstrings: `python -m docs.api`."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, ForwardRef

import tileir_xdsl as tileir
from tileir_xdsl import cutile

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "api.md"

SECTIONS = (
    ("tileir", "load", tileir.load),
    ("tileir", "compile", tileir.compile),
    ("tileir", "Program", tileir.Program),
    ("tileir", "Run", tileir.Run),
    ("tileir", "Compiled", tileir.Compiled),
    ("tileir", "CompiledKernel", tileir.CompiledKernel),
    ("tileir", "Options", tileir.Options),
    ("tileir", "Remark", tileir.Remark),
    ("tileir", "CompileError", tileir.CompileError),
    ("tileir", "CodeError", tileir.CodeError),
    ("tileir", "ArgumentError", tileir.ArgumentError),
    ("tileir", "MemoryFaultError", tileir.MemoryFaultError),
    ("tileir", "RaceError", tileir.RaceError),
    ("tileir", "UndefinedError", tileir.UndefinedError),
    ("tileir", "DeadlockError", tileir.DeadlockError),
    ("cutile", "launch", cutile.launch),
    ("cutile", "compile", cutile.compile),
    ("cutile", "load", cutile.load),
    ("cutile", "explain", cutile.explain),
    ("cutile", "Explained", cutile.Explained),
    ("cutile", "check", cutile.check),
    ("cutile", "Checked", cutile.Checked),
    ("cutile", "tune", cutile.tune),
    ("cutile", "Tuned", cutile.Tuned),
    ("cutile", "use", cutile.use),
    ("cutile", "Use", cutile.Use),
)
"""What the page tells of, in its order: all public names of both packages."""

INTRODUCTION = """# The library

The library reads, compiles, runs and checks kernels from Python. Written by `python -m docs.api`
from the docstrings. [runtime.md](runtime.md) describes how to use it.

    import tileir_xdsl as tileir
    from tileir_xdsl import cutile

Only `cutile` needs the package `cuda-tile`.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join([INTRODUCTION, *(_section(*section) for section in SECTIONS)])


def _section(module: str, name: str, value: Any) -> str:
    lines = [f"## `{module}.{name}`", ""]
    if isinstance(value, type):
        lines += [_doc(value), "", *_fields(value), *_members(value)]
    else:
        lines += [*_code(f"{module}.{name}{_signature(value)}"), "", _doc(value), ""]
    return "\n".join(lines).rstrip() + "\n"


def _doc(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def _code(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def _signature(function: Any) -> str:
    """The signature as the source has it: a parameter a line where it is long."""
    signature = inspect.signature(function)
    shown: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not any(s.startswith("*") for s in shown):
            shown.append("*")
        shown.append(_parameter(parameter))
    result = signature.return_annotation
    end = f") -> {result}"
    short = f"({', '.join(shown)}{end}"
    return short if len(short) < 80 else "(\n" + "".join(f"    {one},\n" for one in shown) + end


def _parameter(parameter: inspect.Parameter) -> str:
    prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    typed = f"{prefix}{parameter.name}: {parameter.annotation}"
    return typed if parameter.default is parameter.empty else f"{typed} = {parameter.default!r}"


def _field_docs(cls: type) -> dict[str, str]:
    """The strings below the fields of a class, by name."""
    source = inspect.getsource(cls)
    found = re.findall(r'^    (?:self\.)?(\w+): [^\n]+\n    """(.*?)"""', source, re.S | re.M)
    found += re.findall(r'^        self\.(\w+): [^\n]+\n        """(.*?)"""', source, re.S | re.M)
    return {name: " ".join(text.split()) for name, text in found}


def _fields(cls: type) -> Iterator[str]:
    docs = _field_docs(cls)
    typed = _typed_fields(cls)
    if typed is not None:
        for name, text in typed:
            told = f": {docs[name]}" if name in docs else ""
            yield f"- `{text}`{told}"
    else:
        for name, text in docs.items():
            yield f"- `{name}`: {text}"
    if typed is not None or docs:
        yield ""


def _typed_fields(cls: type) -> list[tuple[str, str]] | None:
    """Each field of a dataclass or named tuple, with its type and default; None for others."""
    if is_dataclass(cls):
        found = [(one.name, one.type, one.default) for one in fields(cls)]
    elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
        named: Any = cls
        found = [
            (name, cls.__annotations__[name], named._field_defaults.get(name, MISSING))
            for name in named._fields
        ]
    else:
        return None
    return [
        (name, f"{name}: {_type(kind)}{'' if default is MISSING else f' = {default!r}'}")
        for name, kind, default in found
    ]


def _type(kind: object) -> str:
    return kind.__forward_arg__ if isinstance(kind, ForwardRef) else str(kind)


def _members(cls: type) -> Iterator[str]:
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"### `{cls.__name__}.{name}`\n\n{_doc(member)}\n"
        elif isinstance(member, FunctionType | classmethod):
            function = member.__func__ if isinstance(member, classmethod) else member
            code = "\n".join(_code(f"{name}{_signature(getattr(cls, name))}"))
            yield f"### `{cls.__name__}.{name}`\n\n{code}\n\n{_doc(function)}\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
