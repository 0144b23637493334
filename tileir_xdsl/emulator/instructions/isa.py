"""The instructions of the PTX ISA by chapter, and why some of them are not supported.

Source: PTX ISA 9, "Instructions". The name of an instruction has the qualifiers that distinguish it
from others.
"""

from __future__ import annotations

from collections.abc import Mapping

from tileir_xdsl.emulator.instructions.form import Form

CHAPTERS: Mapping[str, tuple[str, ...]] = {
    chapter: tuple(names.split())
    for chapter, names in {
        "Integer Arithmetic": "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz"
        " bfind fns brev bfe bfi bmsk szext dp4a dp2a",
        "Extended-Precision Integer Arithmetic": "add.cc addc sub.cc subc mad.cc madc",
        "Floating-Point": "testp copysign add sub mul fma mad div abs neg min max rcp"
        " rcp.approx.ftz.f64 sqrt rsqrt rsqrt.approx.ftz.f64 sin cos lg2 ex2 tanh",
        "Half Precision Floating-Point": "add sub mul fma neg abs min max tanh ex2",
        "Mixed Precision Floating-Point": "add sub fma",
        "Comparison and Selection": "set setp selp slct",
        "Half Precision Comparison": "set setp",
        "Logic and Shift": "and or xor not cnot lop3 shf shl shr",
        "Data Movement and Conversion": "mov shfl shfl.sync prmt ld ld.global.nc ldu st st.async"
        " st.bulk multimem.ld_reduce multimem.st multimem.red prefetch prefetchu applypriority"
        " discard createpolicy isspacep cvta cvt cvt.pack mapa getctarank",
        "Asynchronous Copy": "cp.async cp.async.commit_group cp.async.wait_group cp.async.wait_all"
        " cp.async.bulk cp.reduce.async.bulk cp.async.bulk.prefetch multimem.cp.async.bulk"
        " multimem.cp.reduce.async.bulk cp.async.bulk.tensor cp.reduce.async.bulk.tensor"
        " cp.async.bulk.prefetch.tensor cp.async.bulk.commit_group cp.async.bulk.wait_group"
        " tensormap.replace",
        "Texture": "tex tld4 txq istypep",
        "Surface": "suld sust sured suq",
        "Control Flow": "bra brx.idx call ret exit",
        "Parallel Synchronization and Communication": "bar barrier bar.warp.sync"
        " barrier.cluster.arrive barrier.cluster.wait membar fence fence.proxy fence.mbarrier_init"
        " atom red red.async vote vote.sync match.any.sync match.all.sync activemask redux.sync"
        " griddepcontrol elect.sync mbarrier.init mbarrier.inval mbarrier.expect_tx"
        " mbarrier.complete_tx mbarrier.arrive mbarrier.arrive_drop cp.async.mbarrier.arrive"
        " mbarrier.test_wait mbarrier.try_wait mbarrier.pending_count tensormap.cp_fenceproxy"
        " clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel",
        "Warp-Level Matrix": "wmma.load wmma.store wmma.mma mma mma.sp ldmatrix stmatrix movmatrix",
        "Asynchronous Warpgroup-Level Matrix": "wgmma.mma_async wgmma.mma_async.sp wgmma.fence"
        " wgmma.commit_group wgmma.wait_group",
        "TensorCore 5th Generation": "tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit"
        " tcgen05.ld tcgen05.ld.red tcgen05.st tcgen05.wait::ld tcgen05.wait::st tcgen05.cp"
        " tcgen05.shift tcgen05.mma tcgen05.mma.sp tcgen05.mma.ws tcgen05.mma.ws.sp"
        " tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync tcgen05.commit",
        "Stack Manipulation": "stacksave stackrestore alloca",
        "Scalar Video": "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset",
        "SIMD Video": "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2"
        " vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4",
        "Miscellaneous": "brkpt nanosleep pmevent trap setmaxnreg",
    }.items()
}
"""Names of instructions by the chapter of the manual that describes them."""

_IMAGES = "there are no textures and surfaces"
_STACK = "there is no stack, as functions are inlined into their callers"
_MULTICAST = "bulk copies do not write to multicast objects"

REFUSED: Mapping[str, str] = {
    **dict.fromkeys((*CHAPTERS["Texture"], *CHAPTERS["Surface"]), _IMAGES),
    **dict.fromkeys(CHAPTERS["Stack Manipulation"], _STACK),
    "multimem.cp.async.bulk": _MULTICAST,
    "multimem.cp.reduce.async.bulk": _MULTICAST,
    "tcgen05.ld.red": "loads from tensor memory do not reduce",
    "brkpt": "there is no debugger",
}
"""Why the emulator refuses an instruction, by its name."""


def refused(mnemonic: str) -> tuple[str, str] | None:
    """The name of a mnemonic's refused instruction, and the reason; `None` if it is not refused."""
    for name, reason in REFUSED.items():
        if mnemonic == name or mnemonic.startswith(f"{name}."):
            return name, reason
    return None


def describes(form: Form, name: str) -> bool:
    """Whether a form has the opcode of a name, and its qualifiers in the same order."""
    pieces = iter(form.pieces)
    return all(any(part in choices for choices in pieces) for part in name.split("."))
