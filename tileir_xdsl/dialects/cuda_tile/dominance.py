"""SSA dominance inside a function: every value is defined before it is used.

xDSL itself never checks dominance. Each region of `cuda_tile` has one block, so dominance follows
from program order and nesting.
"""

from xdsl.ir import Block, Region, SSAValue

from tileir_xdsl.dialects.cuda_tile.reporting import fail_at


def verify_dominance(region: Region) -> None:
    """Raises `VerifyException` at the first operand that is not defined before its use.

    `region` is the body of an isolated operation: values from outside of it are errors too.
    """
    _verify_region(region, set())


def _verify_region(region: Region, visible: set[SSAValue]) -> None:
    for block in region.blocks:
        _verify_block(block, visible)


def _verify_block(block: Block, visible: set[SSAValue]) -> None:
    defined: list[SSAValue] = list(block.args)
    visible.update(defined)
    for op in block.ops:
        for index, operand in enumerate(op.operands):
            if operand not in visible:
                fail_at(op, f"'{op.name}' op operand #{index} does not dominate this use")
        for region in op.regions:
            _verify_region(region, visible)
        defined.extend(op.results)
        visible.update(op.results)
    visible.difference_update(defined)
