"""`tilecpu`: tile programs as loop nests over elements, with tiles in buffers.

Tiles that one nest writes and another reads are buffers in the arena of a thread. The body of a
nest computes one element of its index space; its vector width says how many elements the CPU
computes at once. Scalars, views and control flow are those of `nv_tileaa`, `arith` and `scf`.
Produced by `convert-tileaa-to-tilecpu`.
"""

from xdsl.ir import Dialect

from tileir_xdsl.dialects.lazy_definition import attributes_of, ops_of

from .accesses import AtomicCASOp as AtomicCASOp
from .accesses import AtomicRMWOp as AtomicRMWOp
from .accesses import AtomicUpdateOp as AtomicUpdateOp
from .accesses import LoadOp as LoadOp
from .accesses import LoadPointerOp as LoadPointerOp
from .accesses import StoreOp as StoreOp
from .accesses import StorePointerOp as StorePointerOp
from .buffers import AllocOp as AllocOp
from .buffers import ConstantOp as ConstantOp
from .buffers import CopyOp as CopyOp
from .buffers import CopySliceOp as CopySliceOp
from .buffers import DotOp as DotOp
from .buffers import PrintOp as PrintOp
from .buffers import ReadOp as ReadOp
from .buffers import ScanOp as ScanOp
from .buffers import WriteOp as WriteOp
from .core import FuncOp as FuncOp
from .core import ReturnOp as ReturnOp
from .nests import IndexOp as IndexOp
from .nests import NestOp as NestOp
from .nests import ReduceOp as ReduceOp
from .types import BufferType as BufferType

TileCPU = Dialect("tilecpu", ops_of("tilecpu"), attributes_of("tilecpu", vars()))
