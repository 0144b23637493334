"""Parses a file, prints it, parses that, and compares: one process, one exit status.

The chunks of a file split by `// -----` are taken one by one.  Prints the text on success, so that
`%roundtrip | filecheck %s` can look at it; on a difference prints a diff and exits with status 1.
"""

import argparse
import difflib
import io
import sys
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.universe import Universe


def new_context(*, allow_unregistered: bool) -> Context:
    """A context with the dialects `xdsl-opt` knows."""
    context = Context(allow_unregistered=allow_unregistered)
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    return context


def to_text(module: ModuleOp, *, generic: bool) -> str:
    """The module as `xdsl-opt` prints it."""
    stream = io.StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def main() -> int:
    """Returns the exit status."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--generic", action="store_true", help="through the generic syntax")
    arguments.add_argument("--allow-unregistered-dialect", action="store_true")
    args = arguments.parse_args()

    def parse(text: str) -> ModuleOp:
        context = new_context(allow_unregistered=args.allow_unregistered_dialect)
        module = Parser(context, text, name=str(args.file)).parse_module()
        module.verify()
        return module

    printed: list[str] = []
    lines = 0
    for chunk in args.file.read_text(encoding="utf-8").split("// -----"):
        module = parse("\n" * lines + chunk)
        lines += chunk.count("\n")
        text = to_text(module, generic=args.generic)
        again = parse(text)
        # Attributes lost in the custom syntax show only in the generic one, so compare both.
        for generic in (args.generic, True):
            first, second = to_text(module, generic=generic), to_text(again, generic=generic)
            if first != second:
                diff = difflib.unified_diff(
                    first.splitlines(), second.splitlines(), "first", "second", lineterm=""
                )
                print("\n".join(diff), file=sys.stderr)
                return 1
        printed.append(text)
    print("\n// -----\n".join(printed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
