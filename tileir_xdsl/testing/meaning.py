"""Whether two modules mean the same, as their kernels are executed."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.checking.pass_check import PassCheck
from tileir_xdsl.walking import clone_of


def assert_same_meaning(
    before: ModuleOp, after: ModuleOp, *, rounding: float | None = None
) -> None:
    """Runs the kernels of two modules, on inputs that their signatures suggest, and compares.

    Arrays and prints must be the same bit for bit. With `rounding`, the result of an op may be off
    by so many units in the last place. Modules of `llvm` are run as PTX. Neither module changes.

    Raises AssertionError that names the kernel, what differs, and where it is known the first op at
    fault. It is also raised for a kernel that no generated input gives one meaning, and where
    `before` has no kernel.
    """
    said = list[str]()
    check = PassCheck(clone_of(before), units=rounding, remark=said.append)
    if said or not check.cases:
        raise AssertionError("\n".join(said) or "there is no kernel to compare")
    try:
        check.run("after", lambda module: _become(module, after))
    except PassFailedException as failure:
        raise AssertionError(str(failure)) from None


def _become(module: ModuleOp, other: ModuleOp) -> None:
    """Gives a module the ops and attributes of another one, which stays as it is."""
    copy = clone_of(other)
    for op in [*module.body.block.ops]:
        op.detach()
    for op in [*copy.body.block.ops]:
        op.detach()
        module.body.block.add_op(op)
    module.attributes = dict(copy.attributes)
