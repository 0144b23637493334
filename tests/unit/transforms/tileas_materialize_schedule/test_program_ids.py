"""The agent that asks for the next tile block reads the answer itself, if it has just asked."""

from xdsl.rewriter import InsertPoint, Rewriter

from tests.unit.transforms.dot_loops import persistent_kernel
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_materialize_schedule.program_ids import insert_own_answers


def asking() -> tuple[nv_tileaa.FuncOp, nv_tileas.ProduceOneAsyncOp]:
    """A kernel that asks at the start of each iteration, and the op that does so."""
    text = persistent_kernel()
    module = tools.run_passes(tools.parse(text), "tileas-materialize-async{num-stages=3}")
    (ask,) = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncCancelNextProgramIdOp))
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    request = ask.parent_op()
    assert isinstance(request, nv_tileas.ProduceOneAsyncOp)
    return function, request


def reads(function: nv_tileaa.FuncOp) -> list[nv_tileas.ReadProgramIdOp]:
    return [op for op in function.walk() if isinstance(op, nv_tileas.ReadProgramIdOp)]


def test_an_answer_is_read_where_it_was_asked_for():
    function, request = asking()
    (other,) = reads(function)
    own = insert_own_answers(function)
    assert [type(op) for op in own.ops] == [nv_tileas.WaitOp, nv_tileas.ReadProgramIdOp]
    (mine,) = (op for op in reads(function) if op is not other)
    assert own.instead == {other.result: mine.result} and mine.answer == request.values[0]
    own.erase(function)
    assert reads(function) == [other]


def test_an_answer_to_an_earlier_request_is_another_one():
    """Asked for in another block, it may be that of another iteration."""
    function, request = asking()
    loop = request.parent_op()
    assert loop is not None
    request.detach()
    Rewriter.insert_op(request, InsertPoint.before(loop))
    own = insert_own_answers(function)
    assert not own.ops and not own.instead and len(reads(function)) == 1
