"""Arithmetic, conversions and what warps do with values: each thread has its own operands.

What they mean is stated once, by the cases of the emulator's own tests.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import Arrays, Loaded, Stored, Value
from tests.unit.emulator.instructions import (
    test_comparison,
    test_conversion,
    test_data_movement,
    test_floating_point,
    test_integer,
    test_logic,
    test_matrix,
    test_small_floats,
    test_warp,
)
from tests.unit.emulator.instructions.cases import Case, opcode_and_operands, operands, sample

_MODULES = (
    test_integer,
    test_floating_point,
    test_comparison,
    test_logic,
    test_conversion,
    test_data_movement,
    test_matrix,
    test_warp,
)
_CASES: Mapping[str, Case] = {
    opcode_and_operands(case.text)[0]: case
    for module in reversed(_MODULES)
    for case in reversed(module.CASES)
}
"""The first case of each instruction."""

_TYPES = {"b16": "i16", "b32": "i32", "b64": "i64", "f32": "f32", "f64": "f64", "pred": "i1"}


def of_case(case: Case, ops: str, types: Mapping[str, str] | None = None) -> Value:
    """The value of `ops` on the operands of a case; `types` are those not held as bits."""
    inputs, results = operands(case.inputs), operands(case.results)
    arrays = sample(case)
    named = types or {}

    def meaning(before: Arrays) -> Arrays:
        expected = case.expected(*(before[name] for name, _ in inputs))
        return {
            name: np.asarray(value).astype(type_.dtype)
            for (name, type_), value in zip(results, expected, strict=True)
        }

    threads = len(arrays[0])
    return Value(
        ops,
        meaning,
        loads={
            name: Loaded(named.get(name, _TYPES[type_.register]), array)
            for (name, type_), array in zip(inputs, arrays, strict=True)
        },
        stores={
            name: Stored(
                named.get(name, _TYPES[type_.register]),
                np.zeros((threads, type_.elements), type_.dtype).squeeze(),
            )
            for name, type_ in results
        },
        threads=threads,
        ulps=case.ulps,
    )


def inline(opcode: str, case: Case) -> Value:
    """An instruction that only `nvvm.inline_ptx` prints, on its operands in order."""
    inputs, ((result, to),) = operands(case.inputs), operands(case.results)
    read = ", ".join(f"{{$r{i}}}" for i in range(len(inputs)))
    names = ", ".join(f"%{name}" for name, _ in inputs)
    types = ", ".join(_TYPES[type_.register] for _, type_ in inputs)
    return of_case(
        case,
        f'%{result} = nvvm.inline_ptx "{opcode} {{$w0}}, {read};" '
        f"ro({names} : {types}) -> {_TYPES[to.register]}",
    )


_INTEGER = {
    "add": "add.s",
    "sub": "sub.s",
    "mul": "mul.lo.s",
    "and": "and.b",
    "or": "or.b",
    "xor": "xor.b",
    "sdiv": "div.s",
    "udiv": "div.u",
    "srem": "rem.s",
    "urem": "rem.u",
}
_ON_32_BITS = {"shl": "shl.b32", "lshr": "shr.u32", "ashr": "shr.s32"}
_ROUNDED = {"fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "div"}
_INTRINSICS = {
    "maxnum": "max.f32",
    "minnum": "min.f32",
    "maximum": "max.NaN.f32",
    "minimum": "min.NaN.f32",
}

# Printed by an op: its text on the operands of the case.
_OPS: Mapping[str, str] = {
    **{
        f"{opcode}{bits}": f"%d = llvm.{op} %a, %b : i{bits}"
        for op, opcode in _INTEGER.items()
        for bits in (32, 64)
    },
    **{
        f"{opcode}.rn.f{bits}": f"%d = llvm.{op} %a, %b : f{bits}"
        for op, opcode in _ROUNDED.items()
        for bits in (32, 64)
    },
    "fma.rn.f32": "%d = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32",
    **{
        f"cvt.{mode}.tf32.f32": (
            f"%d = nvvm.convert.float.to.tf32 %a {{rnd = #nvvm.fp_rnd_mode<{mode}>}}"
        )
        for mode in ("rna", "rn", "rz")
    },
    "rcp.approx.ftz.f32": "%d = nvvm.rcp.approx.ftz.f %a : f32",
    "sqrt.rn.f32": "%d = llvm.intr.sqrt(%a) : (f32) -> f32",
    **{
        opcode: f"%d = llvm.intr.{name}(%a, %b) : (f32, f32) -> f32"
        for name, opcode in _INTRINSICS.items()
    },
    "selp.b32": "%d = llvm.select %c, %a, %b : i1, i32",
    "cvt.s64.s32": "%d = llvm.sext %a : i32 to i64",
    "cvt.u64.u32": "%d = llvm.zext %a : i32 to i64",
    "cvt.rn.f32.s32": "%d = llvm.sitofp %a : i32 to f32",
    "cvt.rzi.s32.f32": "%d = llvm.fptosi %a : f32 to i32",
    **{
        f"{name}.approx.f32": f'%d = llvm.call_intrinsic "llvm.nvvm.{name}.approx.f'
        f'{"32" if name == "ex2" else ""}"(%a) : (f32) -> f32'
        for name in ("sqrt", "rsqrt", "sin", "lg2", "ex2")
    },
}


def _warp_ops() -> dict[str, str]:
    """Collectives of a warp, all of whose lanes take part."""
    kinds = {"add": "add", "min": "min", "max": "max"}
    found = {f"redux.sync.{op}.s32": kind for op, kind in kinds.items()}
    found |= {f"redux.sync.{op}.u32": f"u{op}" for op in ("min", "max")}
    found |= {f"redux.sync.{op}.b32": op for op in ("and", "or", "xor")}
    ops = {
        opcode: f"%d = nvvm.redux.sync {kind} %a, %all : i32 -> i32"
        for opcode, kind in found.items()
    }
    for mode in ("bfly", "idx", "up", "down"):
        clamp = 0 if mode == "up" else 31
        ops[f"shfl.sync.{mode}.b32"] = (
            f"%r = nvvm.shfl.sync {mode} %all, %a, %b, %c{clamp}_i32 {{return_value_and_is_valid}} "
            ": i32 -> !llvm.struct<(i32, i1)>\n"
            "%d = llvm.extractvalue %r[0] : !llvm.struct<(i32, i1)>\n"
            "%p = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>"
        )
    ops |= {
        "vote.sync.ballot.b32": "%d = nvvm.vote.sync ballot %all, %a -> i32",
        "vote.sync.all.pred": "%d = nvvm.vote.sync all %all, %a -> i1",
        "vote.sync.any.pred": "%n = llvm.xor %a, %true : i1\n"
        "%d = nvvm.vote.sync any %all, %n -> i1",
        "vote.sync.uni.pred": "%d = nvvm.vote.sync uni %all, %a -> i1",
        "match.any.sync.b32": "%d = nvvm.match.sync any %all, %a : i32 -> i32",
        "match.any.sync.b64": "%d = nvvm.match.sync any %all, %a : i64 -> i32",
    }
    for bits in (32, 64):
        ops[f"match.all.sync.b{bits}"] = (
            f"%r = nvvm.match.sync all %all, %a : i{bits} -> !llvm.struct<(i32, i1)>\n"
            "%d = llvm.extractvalue %r[0] : !llvm.struct<(i32, i1)>\n"
            "%p = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>"
        )
    for op in ("min", "max"):
        for suffix, options in (
            ("", ""),
            (".abs", "abs = true"),
            (".NaN", "nan = true"),
            (".abs.NaN", "abs = true, nan = true"),
        ):
            given = f" {{{options}}}" if options else ""
            ops[f"redux.sync.{op}{suffix}.f32"] = (
                f"%d = nvvm.redux.sync f{op} %a, %all{given} : f32 -> f32"
            )
    return ops


_SATURATING = "{rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}"
_EIGHT_BITS = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2"}


def _conversions() -> dict[str, Value]:
    """Conversions from and to pairs of floats of 8 bits, which `nvvm` has ops for."""
    found: dict[str, Value] = {}
    for name, type_ in _EIGHT_BITS.items():
        for relu in ("", ".relu"):
            option = "{relu = true}" if relu else ""
            opcode = f"cvt.rn.satfinite{relu}.{name}x2.f32"
            options = _SATURATING.replace("{", "{relu = true, ") if relu else _SATURATING
            found[opcode] = of_case(
                _CASES[opcode], f"%d = nvvm.convert.f32x2.to.f8x2 %a, %b {options} : i16 ({type_})"
            )
            opcode = f"cvt.rn.satfinite{relu}.{name}x2.f16x2"
            found[opcode] = of_case(
                _CASES[opcode],
                "%v = llvm.bitcast %a : i32 to vector<2xf16>\n"
                f"%d = nvvm.convert.f16x2.to.f8x2 %v {option} : vector<2xf16> -> i16 ({type_})",
            )
            opcode = f"cvt.rn{relu}.f16x2.{name}x2"
            found[opcode] = of_case(
                _CASES[opcode],
                "%v = llvm.bitcast %a : i16 to vector<2xi8>\n"
                f"%w = nvvm.convert.f8x2.to.f16x2 %v {option} : vector<2xi8> ({type_})"
                " -> vector<2xf16>\n%d = llvm.bitcast %w : vector<2xf16> to i32",
            )
    return found | _narrow_conversions()


def _narrow_conversions() -> dict[str, Value]:
    """Conversions of scales, and from and to two floats of four bits."""
    opcode = "cvt.rn.bf16x2.ue8m0x2"
    found = {
        opcode: of_case(
            _CASES[opcode],
            "%v = llvm.bitcast %a : i16 to vector<2xi8>\n"
            "%w = nvvm.convert.f8x2.to.bf16x2 %v : vector<2xi8> (f8E8M0FNU) -> vector<2xbf16>\n"
            "%d = llvm.bitcast %w : vector<2xbf16> to i32",
        )
    }
    found["cvt.rn.satfinite.ue5m3x2.f32"] = of_case(
        test_small_floats.to_ue5m3("rn", ".satfinite", "f32"),
        "%v = nvvm.convert.f32x2.to.ue5m3x2 %a, %b : vector<2xi8>\n"
        "%d = llvm.bitcast %v : vector<2xi8> to i16",
    )
    found["cvt.rn.bf16x2.ue5m3x2"] = of_case(
        test_small_floats.from_ue5m3("bf16x2", ""),
        "%v = llvm.bitcast %a : i16 to vector<2xi8>\n"
        "%w = nvvm.convert.ue5m3x2.to.bf16x2 %v : vector<2xi8> -> vector<2xbf16>\n"
        "%d = llvm.bitcast %w : vector<2xbf16> to i32",
    )
    for relu, option in (("", ""), (".relu", "{relu = true}")):
        found[f"cvt.rn.satfinite{relu}.e2m1x2.f32"] = of_case(
            test_small_floats.to_pair("e2m1x2", relu),
            f"%v = nvvm.convert.f32x2.to.f4x2 %a, %b {option} : i8 (f4E2M1FN)\n"
            "%d = llvm.zext %v : i8 to i16",
        )
        found[f"cvt.rn{relu}.f16x2.e2m1x2"] = of_case(
            test_small_floats.from_pair("e2m1x2", relu),
            "%v = llvm.trunc %a : i16 to i8\n"
            f"%w = nvvm.convert.f4x2.to.f16x2 %v {option} : i8 (f4E2M1FN) -> vector<2xf16>\n"
            "%d = llvm.bitcast %w : vector<2xf16> to i32",
        )
    return found


# Numbers that have some bits in common.
_AND = replace(
    _CASES["redux.sync.and.b32"],
    values={"a": np.random.default_rng(2).integers(2**31, 2**32, 768).astype(np.uint32)},
)
_COSINE = test_floating_point.approximate("cos.approx", np.cos, "f32")
_LARGEST_OF_THREE = Case(
    "max.f32 %d, %a, %b, %c;",
    "a:f32 b:f32 c:f32",
    "d:f32",
    lambda a, b, c: np.fmax(np.fmax(a, b), c),
    "sm_100a",
)

_ON_BITS = ("add.rn.bf16x2", "mul.rn.bf16x2", "ex2.approx.ftz.bf16x2")
_INLINE = (
    *_ON_BITS,
    *("div.full.f32", "div.approx.f32", "tanh.approx.f32", "ex2.approx.ftz.f32", "fma.rn.f32x2"),
    "movmatrix.sync.aligned.m8n8.trans.b16",
    *("cvt.rn.bf16x2.f32", "cvt.rn.f16x2.f32"),
)

VALUES: Mapping[str, Value] = {
    **{opcode: of_case(_CASES[opcode], ops) for opcode, ops in {**_OPS, **_warp_ops()}.items()},
    **{
        opcode: of_case(_CASES[opcode], f"%d = llvm.{op} %a, %b : i32")
        for op, opcode in _ON_32_BITS.items()
    },
    **_conversions(),
    **{opcode: inline(opcode, _CASES[opcode]) for opcode in _INLINE},
    "redux.sync.and.b32": of_case(_AND, _warp_ops()["redux.sync.and.b32"]),
    "cos.approx.f32": of_case(
        _COSINE, '%d = llvm.call_intrinsic "llvm.nvvm.cos.approx.f"(%a) : (f32) -> f32'
    ),
    "max.f32 %f3, %f0, %f1, %f2": inline("max.f32", _LARGEST_OF_THREE),
}
