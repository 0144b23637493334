"""The functions and ops that the conversion takes; of all others a diagnostic names the first."""

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import TensorType, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.dialects.linalg import abstract_ops, ops
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from linalg_door.elementwise import EMITTERS, NEUTRAL, RELATIONS, predicate_of
from linalg_door.tiles import element_type
from tileir_xdsl.diagnostics import fail

ELEMENTS: frozenset[Attribute] = frozenset({f16, bf16, f32, f64, i1, i8, i16, i32, i64})

MMA: frozenset[Attribute] = frozenset({f16, f32, f64})
"""The element types of `linalg.matmul`: xDSL's has one for the operands and the result."""

_MATMUL_MAPS = ops.MatmulOp.get_irdl_definition().properties["indexing_maps"].default_value
_UNKNOWN = "it is not one of the ops that are converted"


def check_function(function: func.FuncOp) -> None:
    """Raises `PassFailedException` naming the first op that the conversion does not take."""
    _refuse(function, _function_problem(function))
    for op in function.body.block.ops:
        is_index = isinstance(op, arith.ConstantOp | tensor.DimOp | tensor.EmptyOp)
        _refuse(op, _tensor_problem(op) or (None if is_index else _type_problem(op)))
        # The body of a named op is its own, and that of a reduction one op.
        for inner in op.body.block.ops if isinstance(op, ops.GenericOp) else ():
            _refuse(inner, _scalar_problem(inner) or _type_problem(inner))


def loops_of(affine_map: AffineMap) -> list[int] | None:
    """The loops that a map names in order, such as 0 and 2 of `(i, j, k) -> (i, k)`, or None."""
    loops = [e.position for e in affine_map.results if isinstance(e, AffineDimExpr)]
    is_plain = len(loops) == len(affine_map.results) and loops == sorted(set(loops))
    return loops if is_plain else None


def _refuse(op: Operation, problem: str | None) -> None:
    if problem is not None:
        fail(op, f"'{op.name}' op cannot be converted to cuda_tile: {problem}")


def _type_problem(op: Operation) -> str | None:
    types = (*op.operand_types, *op.result_types)
    others = (type for type in types if element_type(type) not in ELEMENTS)
    return next((f"{type} is not one of the types that are converted" for type in others), None)


def _function_problem(op: func.FuncOp) -> str | None:
    results = op.function_type.outputs.data
    if len(op.body.blocks) != 1 or len(results) != 1 or not isinstance(results[0], TensorType):
        return "expected a body of one block, and one tensor as the result"
    return "expected a rank of 3 at most" if results[0].get_num_dims() > 3 else None


def _tensor_problem(op: Operation) -> str | None:
    """Why an op of a function is not converted, or None."""
    types = tuple(element_type(type) for type in op.operand_types)
    match op:
        case arith.ConstantOp() | func.ReturnOp():
            return None
        case tensor.DimOp():
            is_known = isinstance(op.index.owner, arith.ConstantOp)
            return None if is_known else "expected a constant dimension"
        case tensor.EmptyOp():
            is_known = all(isinstance(size.owner, tensor.DimOp) for size in op.operands)
            return None if is_known else "expected sizes of other tensors"
        case _ if len(op.results) != 1:
            return "expected one tensor as the result"
        case ops.FillOp():
            return None if types[0] == types[1] else "expected a value of the elements' type"
        case ops.GenericOp():
            loops = [loops_of(attribute.data) for attribute in op.get_indexing_maps()]
            if set(op.iterator_types) - {IteratorTypeAttr.parallel()}:
                return "expected parallel iterators: linalg.reduce is for reductions"
            is_plain = None not in loops and loops[-1] == list(range(op.get_num_loops()))
            return (
                None if is_plain else "expected identity as the result's map, others to broadcast"
            )
        case ops.MatmulOp():
            is_mma = op.indexing_maps == _MATMUL_MAPS and len({*types}) == 1 and types[0] in MMA
            return None if is_mma else "expected plain maps, and elements of f16, f32 or f64"
        case ops.ReduceOp():
            first, *others = op.region.block.ops
            is_one = len(op.dimensions) == 1 and len(others) == 1 and type(first) in NEUTRAL
            is_whole = {*first.operands} == {*op.region.block.args}
            return None if is_one and is_whole else "expected one dimension, and one op that adds"
        case _:
            return None if isinstance(op, abstract_ops.ElementwiseOperation) else _UNKNOWN


def _scalar_problem(op: Operation) -> str | None:
    """Why an op in a body is not converted, or None."""
    if op.name not in EMITTERS and not isinstance(op, arith.ConstantOp | ops.YieldOp):
        return _UNKNOWN
    if isinstance(op, arith.CmpfOp) and predicate_of(op)[1:] not in RELATIONS:
        return f"no comparison has the predicate {predicate_of(op)}"
    return None
