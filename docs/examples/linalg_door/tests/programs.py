"""Functions of `linalg` as text, and their conversion."""

from collections.abc import Sequence
from pathlib import Path

from linalg_door.conversion import ConvertLinalgToCudaTilePass
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.testing import context, parse


def convert(text: str) -> ModuleOp:
    """The kernels of functions; both modules are verified."""
    module = parse(text)
    ConvertLinalgToCudaTilePass().apply(context(), module)
    module.verify()
    return module


def tensor(shape: Sequence[int | str], element: str) -> str:
    """The type of a tensor; a size may be `?`."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def elementwise(body: Sequence[str], inputs: Sequence[str], element: str, result: str = "") -> str:
    """A function `f` on tensors, or scalars, of two dynamic dimensions each.

    `inputs` are types; `body` computes `%r` of the arguments `%a0`, `%a1`, .. of the elements.
    """
    result = result or tensor("??", element)
    elements = [type.rpartition("x")[2].rstrip(">") for type in (*inputs, result)]
    maps = [_map(type) for type in (*inputs, result)]
    newline = "\n        "
    return f"""
    func.func @f({", ".join(f"%x{n}: {type}" for n, type in enumerate(inputs))}) -> {result}
        attributes {{linalg_door.tile = array<i64: 16, 16, 16>}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x0, %c0 : {inputs[0]}
      %n = tensor.dim %x0, %c1 : {inputs[0]}
      %out = tensor.empty({"%m, %n" if "?x?" in result else ""}) : {result}
      %y = linalg.generic {{indexing_maps = [{", ".join(maps)}],
          iterator_types = ["parallel", "parallel"]}}
          ins({", ".join(f"%x{n}" for n in range(len(inputs)))} : {", ".join(inputs)})
          outs(%out : {result}) {{
      ^bb0({", ".join(f"%a{n}: {element}" for n, element in enumerate(elements))}):
        {newline.join(body)}
        linalg.yield %r : {elements[-1]}
      }} -> {result}
      func.return %y : {result}
    }}
    """


def _map(type: str) -> str:
    rank = type.count("x") if type.startswith("tensor") else 0
    return f"affine_map<(i, j) -> ({', '.join('ij'[2 - rank :])})>"


def reduction(
    combining: str, element: str, shape: Sequence[int | str], dim: int, initial: str
) -> str:
    """A function `f` that reduces a matrix by an op of two elements."""
    source, result = tensor(shape, element), tensor([*shape[:dim], *shape[dim + 1 :]], element)
    return f"""
    func.func @f(%x: {source}) -> {result}
        attributes {{linalg_door.tile = array<i64: 16, 16>}} {{
      %initial = arith.constant {initial} : {element}
      %c = arith.constant {1 - dim} : index
      %size = tensor.dim %x, %c : {source}
      %empty = tensor.empty({"%size" if "?" in result else ""}) : {result}
      %fill = linalg.fill ins(%initial : {element}) outs(%empty : {result}) -> {result}
      %y = linalg.reduce ins(%x: {source}) outs(%fill: {result}) dimensions = [{dim}]
      (%a: {element}, %b: {element}) {{
        %r = {combining} %a, %b : {element}
        linalg.yield %r : {element}
      }}
      func.return %y : {result}
    }}
    """


def matmul(element: str, shapes: Sequence[Sequence[int | str]] = ("??", "??", "??")) -> str:
    """A function `f` of `A x B + C`."""
    a, b, c = (tensor(shape, element) for shape in shapes)
    return f"""
    func.func @f(%a: {a}, %b: {b}, %c: {c}) -> {c}
        attributes {{linalg_door.tile = array<i64: 16, 16, 16>}} {{
      %y = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      func.return %y : {c}
    }}
    """


SOFTMAX = (Path(__file__).parent / "softmax.mlir").read_text("utf-8")
