"""PTX text from `llvm` and `nvvm` ops, with no dialect in between.

`function.py` walks a function backwards and selects instructions by the tables in `tables/`.
`coalescing.py` and `control_flow.py` remove moves and small jumps; `printing.py` and `module.py`
write the text.
"""

from tileir_xdsl.backend.ptx.module import PrintedKernel, Trace
from tileir_xdsl.backend.ptx.target import PTXTarget, emit

__all__ = ["PTXTarget", "PrintedKernel", "Trace", "emit"]
