"""LLVM IR text from `llvm` ops, for any target that LLVM has.

`types.py` and `constants.py` spell types and constants. `instructions.py`, `memory.py`, `calls.py`
and `control_flow.py` have one row for each op. `function.py` and `module.py` write the text. An op,
type or attribute without a spelling is an error that names it.
"""

from tileir_xdsl.backend.llvm_ir.module import emit
from tileir_xdsl.backend.llvm_ir.target import LLVMIRTarget

__all__ = ["LLVMIRTarget", "emit"]
