"""Passes on the body of one kernel, as text before and after."""

import re

from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass

from tileir_xdsl.testing.tools import context, parse, to_text

PARAMETERS = (
    "%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>, %c: tile<i1>, %d: tile<i1>, "
    "%f: tile<f32>, %g: tile<f32>, %h: tile<f32>"
)
"""What a body may use besides its own values."""

_SHORT = re.compile(r"store %(\w+)")
_LONG = re.compile(r"%\w+ = store_ptr_tko weak %p, %(\w+) : tile<ptr<i32>>, tile<i32> -> token")


def transformed(body: str, transform: ModulePass) -> str:
    """The body after the pass, without its last `return`, all on one line, without prefixes.

    In both texts, `store %x` stands for a store at `%p`.
    """
    body = _SHORT.sub(r"store_ptr_tko weak %p, %\1 : tile<ptr<i32>>, tile<i32> -> token", body)
    module = parse(f"cuda_tile.module @m {{ entry @k({PARAMETERS}) {{ {body} }} }}")
    transform.apply(context(), module)
    module.verify()
    text = " ".join(to_text(module).replace("cuda_tile.", "").split())
    start, end = text.index(") {") + 4, text.rindex("return } } }")
    return _LONG.sub(r"store %\1", text[start:end]).strip()


def canonical(body: str) -> str:
    """The body after `canonicalize`."""
    return transformed(body, CanonicalizePass())
