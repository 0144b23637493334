"""Pieces of programs with buffers, pipelines and products on their way."""

from xdsl.ir import Operation

from tileir_xdsl.testing import tools

SHARED = "tensor<64x64xf16, #nv_tileas.memory<smem>>"
TILE = "tile<64x64xf16, #nv_tileas.memory<smem>>"
STAGES = "tensor<2x64x64xf16, #nv_tileas.memory<smem>>"
LAYOUT = "#nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>"
HALF = f"tensor<64x64xf16, {LAYOUT}>"
SUM = f"tile<64x64xf32, {LAYOUT}>"
FLYING = f"!async.value<{SUM}>"
PIPE = "nv_tileas.async.pipeline"
PRODUCER, CONSUMER = f"!{PIPE}.producer_token", f"!{PIPE}.consumer_token"
ITERATOR = f"!{PIPE}.iterator<{TILE}>"


def function(body: str) -> Operation:
    """A function with a tile %x in registers, a buffer %k, a sum %s, and bounds of a loop."""
    module = tools.parse(f"""
    nv_tileaa.func @f(%x: {HALF}, %s: {SUM.replace("tile", "tensor", 1)}, %n: index, %flag: i1) {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %k = nv_tileas.alloc_tensor : {SHARED}
      {body}
      nv_tileaa.return
    }}""")
    found = module.body.block.first_op
    assert found is not None
    return found


def stored(name: str) -> str:
    """The tile as a buffer."""
    return f"%{name} = nv_tileas.convert_layout %x : {HALF} -> {SHARED}\n"


def loaded(name: str) -> str:
    """The buffer as a tile again."""
    return f"%{name}_back = nv_tileas.convert_layout %{name} : {SHARED} -> {HALF}\n"


def dot(result: str, a: str, c: str, c_type: str = SUM) -> str:
    """A product of a buffer with %k that is started."""
    types = f"{TILE}, {TILE}, {c_type} -> {FLYING}"
    atom = "{atom = #nv_tileas<atom wgmma_f16_f16_f32>}"
    return f"%{result} = nv_tileas.async.dot %{a}, %k, %{c} {atom} : {types}\n"


def wait(value: str) -> str:
    """Waits for a product."""
    return f"nv_tileas.async.wait %{value} : {FLYING}\n"


def loop(body: str, yielded: str, initial: str = "first", name: str = "last") -> str:
    """A loop that carries %flying, a product."""
    return f"""
    %{name} = scf.for %i = %zero to %n step %one iter_args(%flying = %{initial}) -> ({FLYING}) {{
      {body}
      scf.yield %{yielded} : {FLYING}
    }}
    """
