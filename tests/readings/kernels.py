"""Kernels of one op: on constants, whose result a compiler may store, and on loaded numbers."""

from __future__ import annotations

from collections.abc import Sequence

from tests.readings.forms import FOUR_BITS, Form
from tests.readings.numbers import literal

THREADS = 128
"""Elements of the tiles that are loaded: one for each thread that `tileiras` launches."""


def _stored(name: str, element: str, shape: str) -> tuple[str, str, str]:
    """What makes of %name a tile that can be stored; its name, and its element type."""
    if element != FOUR_BITS:
        return "", name, element
    size = int(shape.rstrip("x"))
    text = f"%{name}_packed = pack %{name} : tile<{shape}{element}> -> tile<{size // 2}xi8>\n"
    return text, f"{name}_packed", "i8"


def _addresses(name: str, element: str, size: int) -> str:
    """The addresses of consecutive elements behind %name, as %name_at."""
    pointers = f"tile<{size}xptr<{element}>>"
    return f"""%{name}_lane = iota : tile<{size}xi32>
      %{name}_one = reshape %{name} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
      %{name}_all = broadcast %{name}_one : tile<1xptr<{element}>> -> {pointers}
      %{name}_at = offset %{name}_all, %{name}_lane : {pointers}, tile<{size}xi32> -> {pointers}
    """


def of_constants(name: str, form: Form, bits: Sequence[int]) -> str:
    """An entry that stores the op of some numbers."""
    shape = "2x" if FOUR_BITS in (*form.operands, form.result) else ""
    constants = "".join(
        f"%in{i} = constant <{e}: {literal(b, e)}> : tile<{shape}{e}>\n"
        for i, (b, e) in enumerate(zip(bits, form.operands, strict=True))
    )
    packs, stored, element = _stored("r", form.result, shape)
    size = int(shape.rstrip("x") or 0) // (2 if form.result == FOUR_BITS else 1)
    held = f"{size}x" if size else ""
    tiles = f"tile<{held}ptr<{element}>>, tile<{held}{element}>"
    addresses = _addresses("out", element, size) if size else ""
    pointer = "out_at" if size else "out"
    return f"""entry @{name}(%out: tile<ptr<{element}>>) {{
      {constants}%r = {form.at(shape)}
      {packs}{addresses}%t = store_ptr_tko weak %{pointer}, %{stored} : {tiles} -> token
      return
    }}
    """


def of_loaded(name: str, form: Form) -> str:
    """An entry that stores the op of numbers from memory, one for each thread."""
    parameters, body = list[str](), list[str]()
    for number, element in enumerate(form.operands):
        held, size = ("i8", THREADS // 2) if element == FOUR_BITS else (element, THREADS)
        parameters.append(f"%a{number}: tile<ptr<{held}>>")
        loaded = f"b{number}" if element == FOUR_BITS else f"in{number}"
        tiles = f"tile<{size}xptr<{held}>> -> tile<{size}x{held}>"
        body += [
            _addresses(f"a{number}", held, size),
            f"%{loaded}, %t{number} = load_ptr_tko weak %a{number}_at : {tiles}, token\n",
        ]
        if element == FOUR_BITS:
            types = f"tile<{size}xi8> -> tile<{THREADS}x{element}>"
            body.append(f"%in{number} = unpack %b{number} : {types}\n")
    packs, stored, element = _stored("r", form.result, f"{THREADS}x")
    size = THREADS // 2 if form.result == FOUR_BITS else THREADS
    parameters.append(f"%out: tile<ptr<{element}>>")
    tiles = f"tile<{size}xptr<{element}>>, tile<{size}x{element}>"
    return f"""entry @{name}({", ".join(parameters)}) {{
      {"".join(body)}%r = {form.at(f"{THREADS}x")}
      {packs}{_addresses("out", element, size)}
      %t = store_ptr_tko weak %out_at, %{stored} : {tiles} -> token
      return
    }}
    """


def module(entries: Sequence[str]) -> str:
    """A module of entries."""
    return f"cuda_tile.module @m {{ {''.join(entries)} }}"
