"""Every form of an `nvvm` op that is tested, a family a file."""

from .copies import COPIES
from .form import Form, module, name, operation
from .matrix import MATRIX, SCALED, mma, scaled, sparse_mma
from .miscellaneous import MISCELLANEOUS
from .synchronization import SYNCHRONIZATION
from .tensor_memory import TENSOR_MEMORY

__all__ = ["FORMS", "SCALED", "Form", "mma", "module", "name", "operation", "scaled", "sparse_mma"]

FORMS = (*SYNCHRONIZATION, *COPIES, *MATRIX, *TENSOR_MEMORY, *MISCELLANEOUS)
