"""A form of an `nvvm` op, and a kernel around it."""

from dataclasses import dataclass

from tests.unit.backend.ptx.harness import kernel


@dataclass(frozen=True)
class Form:
    """An op, the instruction it becomes up to its operands, and the lowest target that has it."""

    op: str
    opcode: str
    gpu: str = "sm_80"
    lower: str | None = None


ARGUMENTS = "%g: !llvm.ptr<1>, %p: !llvm.ptr, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %d: f64"

PROLOGUE = """%s0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
%s = llvm.getelementptr %s0[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%c = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
%t = llvm.inttoptr %j : i32 to !llvm.ptr<6>
%q = llvm.icmp "slt" %i, %j : i32
%hf = llvm.fptrunc %f : f32 to f16
%i0 = llvm.mlir.constant(0 : i32) : i32
%i1 = llvm.mlir.constant(1 : i32) : i32
%c31 = llvm.mlir.constant(31 : i32) : i32
%c128 = llvm.mlir.constant(128 : i32) : i32
%all = llvm.mlir.constant(-1 : i32) : i32
%u = llvm.mlir.undef : vector<2xf16>
%v0 = llvm.insertelement %hf, %u[%i0 : i32] : vector<2xf16>
%v = llvm.insertelement %hf, %v0[%i1 : i32] : vector<2xf16>
%b = llvm.bitcast %h : i16 to vector<2xi8>"""

USES = {
    "i16": "llvm.store %0, %g : i16, !llvm.ptr<1>",
    "vector<2xf16>": "llvm.store %0, %g : vector<2xf16>, !llvm.ptr<1>",
    "vector<2xbf16>": "llvm.store %0, %g : vector<2xbf16>, !llvm.ptr<1>",
    "vector<2xi8>": "%w = llvm.bitcast %0 : vector<2xi8> to i16\nllvm.store %w, %g : i16, !llvm.ptr<1>",
    "i8": "llvm.store %0, %g : i8, !llvm.ptr<1>",
    "i32": "llvm.store %0, %g : i32, !llvm.ptr<1>",
    "i64": "llvm.store %0, %g : i64, !llvm.ptr<1>",
    "f32": "llvm.store %0, %g : f32, !llvm.ptr<1>",
    "f64": "llvm.store %0, %g : f64, !llvm.ptr<1>",
    "i1": "llvm.store %0, %g : i1, !llvm.ptr<1>",
}


def module(op: str) -> str:
    """A kernel around one op. Its result, if any, is `%0` and is stored."""
    lines = [PROLOGUE, op]
    if "%0" in op:
        last = op.rpartition("\n")[2]
        result = last.rpartition("->")[2] if "->" in last else last.rpartition(":")[2]
        result = result.partition(" (")[0].rpartition(" to ")[2]
        lines.append(USES.get(result.strip(), ""))
    lines.append("llvm.return")
    smem = (
        "llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} "
        ": !llvm.array<0 x i8>\n"
    )
    return smem + kernel("\n".join(lines), ARGUMENTS, "nvvm.reqntid = array<i32: 128>")


def name(form: Form) -> str:
    return form.opcode


def operation(form: Form) -> str:
    """The name of a form's op."""
    return form.op.rpartition("\n")[2].removeprefix("%0 = ").strip('"').split()[0].partition('"')[0]
