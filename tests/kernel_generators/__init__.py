"""Kernels as a compiler would print them, generated as `llvm` and `nvvm` ops.

Each is generated for a case: a small launch with data and the result it should have. A case also
names bugs of its synchronisation that can be put into the kernel: `case.launch(bug, late=True)`.
"""

from tests.kernel_generators.cases import CASES

__all__ = ["CASES"]
