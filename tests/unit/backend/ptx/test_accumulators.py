"""Accumulators of matrix instructions keep their registers across loops; no moves, no warnings."""

import re
from collections.abc import Sequence

import pytest

from tests.unit.backend.ptx.harness import assemble, kernel, ptx
from tests.unit.backend.ptx.test_control_flow import body_of

ARGUMENTS = "%a: i64, %b: i64, %n: i32, %out: !llvm.ptr<1>"


def struct(count: int, type: str = "f32") -> str:
    return f"!llvm.struct<({', '.join([type] * count)})>"


def store_all(value: str, count: int, type: str = "f32") -> str:
    lines: list[str] = []
    for n in range(count):
        lines += [
            f"%e{n} = llvm.extractvalue {value}[{n}] : {struct(count, type)}",
            f"%q{n} = llvm.getelementptr %out[{n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {type}",
            f"llvm.store %e{n}, %q{n} : {type}, !llvm.ptr<1>",
        ]
    return "\n".join(lines)


def wgmma(result: str, descriptors: str, accumulator: str, n: int, extra: str = "") -> str:
    return (
        f"{result} = nvvm.wgmma.mma_async {descriptors}, {accumulator}, "
        f"<m = 64, n = {n}, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], "
        f"B[<bf16>, <one>, <row>]{extra} : {struct(n // 2)} -> {struct(n // 2)}"
    )


def wgmma_of_registers(result: str, _: str, accumulator: str, n: int) -> str:
    return (
        f"{result} = nvvm.wgmma.mma_async.register A[%n, %n, %n, %n], %b, {accumulator}, "
        f"<m = 64, n = {n}, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], "
        f"B[<bf16>, <one>, <row>] : {struct(n // 2)} -> {struct(n // 2)}"
    )


FORMS = {"memory": wgmma, "registers": wgmma_of_registers}
"""A wgmma by where its A is."""


def loop(n: int, steps: Sequence[str]) -> str:
    """A loop of such wgmmas into one accumulator of n/2 registers, one group in flight."""
    count = n // 2
    body = [
        "%zero = llvm.mlir.constant(0 : i32) : i32",
        "%one = llvm.mlir.constant(1 : i32) : i32",
        "%two = llvm.mlir.constant(2 : i64) : i64",
        f"%init = llvm.mlir.zero : {struct(count)}",
        f"llvm.br ^head(%zero, %a, %init : i32, i64, {struct(count)})",
        f"^head(%i: i32, %da: i64, %acc0: {struct(count)}):",
        "nvvm.wgmma.fence.aligned",
        "%d0 = llvm.add %da, %zero64 : i64",
    ]
    body.insert(3, "%zero64 = llvm.mlir.constant(0 : i64) : i64")
    for step, form in enumerate(steps):
        body += [
            FORMS[form](f"%acc{step + 1}", f"%d{step}, %b", f"%acc{step}", n),
            f"%d{step + 1} = llvm.add %d{step}, %two : i64",
        ]
    body += [
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.wait.group.sync.aligned 0",
        "%i1 = llvm.add %i, %one : i32",
        '%c = llvm.icmp "slt" %i1, %n : i32',
        f"llvm.cond_br %c, ^head(%i1, %d{len(steps)}, %acc{len(steps)} : i32, i64, {struct(count)}), ^exit",
        "^exit:",
        store_all(f"%acc{len(steps)}", count),
        "llvm.return",
    ]
    return kernel("\n".join(body), ARGUMENTS, "nvvm.reqntid = array<i32: 128>")


@pytest.mark.parametrize(
    ("n", "steps"),
    [
        *((n, ("memory",) * 4) for n in (8, 64, 256)),
        (8, ("registers",) * 4),
        (8, ("memory", "registers") * 2),
    ],
)
def test_wgmma_accumulates_in_place(n: int, steps: Sequence[str]) -> None:
    text = ptx(loop(n, steps))
    lines = body_of(text)
    start = next(i for i, line in enumerate(lines) if line.endswith(":"))
    end = next(i for i, line in enumerate(lines) if " bra $L" in line)
    assert not [line for line in lines[start:end] if line.startswith("mov.f32")]
    used = {line.split("{")[1].split("}")[0] for line in lines if line.startswith("wgmma.mma")}
    assert len(used) == 1
    report = assemble(text, "sm_90a")
    assert "C75" not in report and "0 bytes spill stores" in report


def test_wgmma_with_a_predicate_and_a_in_registers() -> None:
    body = [
        f"%init = llvm.mlir.undef : {struct(64)}",
        "%zero = llvm.mlir.constant(0 : i32) : i32",
        '%p = llvm.icmp "sgt" %n, %zero : i32',
        "nvvm.wgmma.fence.aligned",
        wgmma("%x", "%a, %b", "%init", 128, " predicate = %p"),
        "%y = nvvm.wgmma.mma_async.register A[%n, %n, %n, %n], %b, %x, <m = 64, n = 128, k = 16>, "
        "D[<f32>, <zero>], A[<f16>, <one>, <row>], B[<f16>, <neg>, <col>] "
        f": {struct(64)} -> {struct(64)}",
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.wait.group.sync.aligned 0",
        store_all("%y", 64),
        "llvm.return",
    ]
    text = ptx(kernel("\n".join(body), ARGUMENTS, "nvvm.reqntid = array<i32: 128>"))
    assert ", %rd0, %rd1, %p0, 1, 1, 0, 1;" in text
    assert "{%r0, %r0, %r0, %r0}, %rd1, %p1, 1, -1, 0;" in text
    assemble(text, "sm_90a")


UNDEF = f"%u = llvm.mlir.undef : {struct(4)}"
NUMBER = "%made = llvm.sitofp %n : i32 to f32"
WHOLE = (
    '%whole = llvm.inline_asm "mov.v4.f32 {$0, $1, $2, $3}, $4;", "=f,=f,=f,=f,f" %one '
    f": (f32) -> {struct(4)}"
)


def inserted(values: Sequence[str], container: str) -> list[str]:
    """Values as the first fields of a struct; the last op gives `%acc`."""
    names = [container, *(f"%s{n}" for n in range(1, len(values))), "%acc"]
    return [
        f"{names[n + 1]} = llvm.insertvalue {value}, {names[n]}[{n}] : {struct(4)}"
        for n, value in enumerate(values)
    ]


MADE = {
    "a number in each field": ("cvt.", [UNDEF, NUMBER, *inserted(["%made"] * 4, "%u")]),
    "a struct as it is": ("mov.v4", [WHOLE.replace("%whole", "%acc")]),
    "a struct with another field": (
        "mov.v4",
        [WHOLE, *inserted(["%one"], "%whole")],
    ),
    "the fields of a struct": (
        "mov.v4",
        [
            UNDEF,
            WHOLE,
            *(f"%e{n} = llvm.extractvalue %whole[{n}] : {struct(4)}" for n in range(4)),
            *inserted([f"%e{n}" for n in range(4)], "%u"),
        ],
    ),
}
"""Ops that make an accumulator `%acc`, and the opcode of the one that computes it."""


@pytest.mark.parametrize(("opcode", "ops"), MADE.values(), ids=MADE)
def test_an_accumulator_that_is_made_after_the_fence(opcode: str, ops: Sequence[str]) -> None:
    """Its registers are moved where they are known, and not before the fence."""
    body = [
        "%one = llvm.mlir.constant(1.0 : f32) : f32",
        "nvvm.wgmma.fence.aligned",
        *ops,
        wgmma("%x", "%a, %b", "%acc", 8),
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.wait.group.sync.aligned 0",
        store_all("%x", 4).replace("%e", "%f"),
        "llvm.return",
    ]
    lines = body_of(ptx(kernel("\n".join(body), ARGUMENTS, "nvvm.reqntid = array<i32: 128>")))
    (made,) = (i for i, line in enumerate(lines) if opcode in line)
    results = re.findall(r"%f\w+", lines[made].rpartition(",")[0])
    uses = [[i for i, line in enumerate(lines) if re.search(rf"{r}\b", line)] for r in results]
    assert all(places[0] == made for places in uses)
    assert len(uses[-1]) > 1


def test_constants_of_a_are_in_registers_before_the_fence() -> None:
    body = [
        f"%init = llvm.mlir.undef : {struct(64)}",
        "%ones = llvm.mlir.constant(16843009 : i32) : i32",
        "nvvm.wgmma.fence.aligned",
        "%y = nvvm.wgmma.mma_async.register A[%ones, %n, %ones, %n], %b, %init, "
        "<m = 64, n = 128, k = 16>, D[<f32>, <zero>], A[<f16>, <one>, <row>], "
        f"B[<f16>, <one>, <col>] : {struct(64)} -> {struct(64)}",
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.wait.group.sync.aligned 0",
        store_all("%y", 64),
        "llvm.return",
    ]
    lines = body_of(ptx(kernel("\n".join(body), ARGUMENTS, "nvvm.reqntid = array<i32: 128>")))
    fence = lines.index("wgmma.fence.sync.aligned;")
    moves = [at for at, line in enumerate(lines) if line.endswith(", 16843009;")]
    assert moves
    assert max(moves) < fence


def test_mma_accumulates_in_place() -> None:
    counts = struct(4)
    step = (
        "%{d} = nvvm.mma.sync A[%n, %n, %n, %n] B[%n, %n] C[{c}] {{layoutA = #nvvm.mma_layout<row>, "
        "layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, "
        "multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}} "
        f": (i32, i32, f32) -> {counts}"
    )
    body = [
        "%zero = llvm.mlir.constant(0 : i32) : i32",
        "%one = llvm.mlir.constant(1 : i32) : i32",
        "%z = llvm.mlir.constant(0.0 : f32) : f32",
        "llvm.br ^head(%zero, %z, %z, %z, %z : i32, f32, f32, f32, f32)",
        "^head(%i: i32, %c0: f32, %c1: f32, %c2: f32, %c3: f32):",
        step.format(d="s", c="%c0, %c1, %c2, %c3"),
        *(f"%s{n} = llvm.extractvalue %s[{n}] : {counts}" for n in range(4)),
        step.format(d="d", c="%s0, %s1, %s2, %s3"),
        *(f"%d{n} = llvm.extractvalue %d[{n}] : {counts}" for n in range(4)),
        "%i1 = llvm.add %i, %one : i32",
        '%c = llvm.icmp "slt" %i1, %n : i32',
        "llvm.cond_br %c, ^head(%i1, %d0, %d1, %d2, %d3 : i32, f32, f32, f32, f32), ^exit",
        "^exit:",
        store_all("%d", 4),
        "llvm.return",
    ]
    text = ptx(kernel("\n".join(body), ARGUMENTS), "sm_80")
    lines = body_of(text)
    mmas = [line.split("{") for line in lines if line.startswith("mma.sync")]
    used = {groups[place].split("}")[0] for groups in mmas for place in (1, 4)}
    assert len(mmas) == 2 and len(used) == 1
    assert not [line for line in lines[lines.index("$L1:") :] if line.startswith("mov")]
    assemble(text, "sm_80")
