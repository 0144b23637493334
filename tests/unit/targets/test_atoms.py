"""Copy and matrix atoms: the tables agree with ptxas, with the layouts and with each other."""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pytest import mark

from tileir_xdsl.layout.constructors import (
    matrices,
    mma_accumulator,
    mma_operand_a,
    mma_operand_b,
    wgmma_operand_a,
)
from tileir_xdsl.layout.tensor_memory import (
    ACCESS_FRAGMENTS,
    AccessShape,
)
from tileir_xdsl.targets import TARGETS, Feature, get_target
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyAtom, CopyKind, Memory, copy_atoms
from tileir_xdsl.targets.mma import (
    MMA_ATOMS,
    PAIR,
    PAIR_ELEMENT,
    MMAAtom,
    MMAKind,
    MMAShape,
    mma_atoms,
)
from tileir_xdsl.testing.tools import ptxas_path

REGISTERS = (
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<256>; "
    ".reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %d<16>;"
)


def registers(count: int, prefix: str = "%r") -> str:
    return "{" + ", ".join(f"{prefix}{index}" for index in range(count)) + "}"


def rejected(folder: Path, target: str, version: tuple[int, int], lines: list[str]) -> list[str]:
    """The lines that ptxas refuses."""
    header = [
        f".version {version[0]}.{version[1]}",
        f".target {target}",
        ".address_size 64",
        ".visible .entry k() .reqntid 128 {",
        REGISTERS,
    ]
    source = folder / "probe.ptx"
    source.write_text("\n".join([*header, *lines, "ret; }"]) + "\n")
    result = subprocess.run(
        [ptxas_path(), f"-arch={target}", str(source), "-o", str(folder / "probe.cubin")],
        capture_output=True,
        text=True,
    )
    numbers = sorted({int(number) for number in re.findall(r"line (\d+); ", result.stderr)})
    if result.returncode and not numbers:
        return [result.stderr]
    return [lines[number - len(header) - 1] for number in numbers] if result.returncode else []


def vector(atom: CopyAtom) -> str:
    """The data registers of a plain access."""
    if atom.vector_bytes > 4:
        return registers(atom.vector_bytes // 4)
    return "%h0" if atom.vector_bytes == 2 else "%r0"


def copy_line(atom: CopyAtom) -> str:
    """The instruction with operands."""
    coordinates = ", ".join(f"%r{index}" for index in range(4, 4 + atom.box_rank))
    if "gather4" in atom.name or "scatter4" in atom.name:
        coordinates = "%r4, %r5, %r6, %r7, %r8"
    words = registers(atom.vector_bytes // 4)
    tensor = f"[%rd0, {{{coordinates}}}]"
    operands = {
        CopyKind.LOAD_GLOBAL: f"{vector(atom)}, [%rd0]",
        CopyKind.STORE_GLOBAL: f"[%rd0], {vector(atom)}",
        CopyKind.LOAD_SHARED: f"{vector(atom)}, [%r9]",
        CopyKind.STORE_SHARED: f"[%r9], {vector(atom)}",
        CopyKind.ASYNC_COPY: f"[%r9], [%rd0], {atom.vector_bytes}",
        CopyKind.LOAD_MATRIX: f"{words}, [%r9]",
        CopyKind.STORE_MATRIX: f"[%r9], {words}",
        CopyKind.TMA_LOAD: f"[%r1], {tensor}, [%r2]",
        CopyKind.TMA_STORE: f"{tensor}, [%r1]",
        CopyKind.TMA_REDUCE: f"{tensor}, [%r1]",
        CopyKind.LOAD_TENSOR_MEMORY: f"{words}, [%r9]",
        CopyKind.STORE_TENSOR_MEMORY: f"[%r9], {words}",
        CopyKind.COPY_TO_TENSOR_MEMORY: "[%r9], %rd0",
    }
    return f"{atom.ptx} {operands[atom.kind]};"


def lowest_groups(atoms: Iterable[CopyAtom]) -> dict[str, list[CopyAtom]]:
    groups: dict[str, list[CopyAtom]] = {}
    for atom in atoms:
        lowest = next(target for target in TARGETS.values() if atom.is_available(target))
        groups.setdefault(lowest.name, []).append(atom)
    return groups


def test_ptxas_accepts_every_copy_atom_on_its_lowest_target(tmp_path: Path):
    for name, atoms in lowest_groups(COPY_ATOMS.values()).items():
        target = get_target(name)
        version = target.ptx_version(atom.feature for atom in atoms if atom.feature)
        assert rejected(tmp_path, name, version, list(map(copy_line, atoms))) == []


def test_ptxas_refuses_what_a_target_lacks(tmp_path: Path):
    for name in ("sm_80", "sm_90a", "sm_120a"):
        target = get_target(name)
        # The forms of one feature are accepted or refused together.
        missing = {
            atom.feature: copy_line(atom)
            for atom in COPY_ATOMS.values()
            if not atom.is_available(target)
        }
        lines = list(missing.values())
        assert rejected(tmp_path, name, (9, 3), lines) == lines


def test_names_are_unique_keys():
    assert all(name == atom.name for name, atom in COPY_ATOMS.items())
    assert all(name == atom.name for name, atom in MMA_ATOMS.items())
    spellings = [atom.ptx + str(atom.vector_bytes) for atom in COPY_ATOMS.values()]
    assert len(set(spellings)) == len(spellings)
    spellings = [
        f"{atom.ptx} {atom.accumulator} {atom.a} {atom.b} {atom.scale}"
        for atom in MMA_ATOMS.values()
    ]
    assert len(set(spellings)) == len(spellings)


def test_the_legal_pairs_of_memories():
    pairs = {(atom.source, atom.destination) for atom in COPY_ATOMS.values()}
    assert pairs == {
        (Memory.GLOBAL, Memory.REGISTER),
        (Memory.REGISTER, Memory.GLOBAL),
        (Memory.GLOBAL, Memory.SHARED),
        (Memory.SHARED, Memory.GLOBAL),
        (Memory.SHARED, Memory.REGISTER),
        (Memory.REGISTER, Memory.SHARED),
        (Memory.TENSOR, Memory.REGISTER),
        (Memory.REGISTER, Memory.TENSOR),
        (Memory.SHARED, Memory.TENSOR),
    }


def test_copy_atoms_of_a_target():
    names = [atom.name for atom in copy_atoms(get_target("sm_80"), Memory.GLOBAL, Memory.SHARED)]
    assert names == ["ldgsts_32", "ldgsts_64", "ldgsts_128"]
    names = [atom.name for atom in copy_atoms(get_target("sm_90a"), Memory.GLOBAL, Memory.SHARED)]
    assert names == [
        *("ldgsts_32", "ldgsts_64", "ldgsts_128"),
        *(f"tma_load_{rank}d" for rank in range(1, 6)),
    ]
    assert copy_atoms(get_target("sm_90a"), Memory.SHARED, Memory.TENSOR) == ()


@mark.parametrize("count", [1, 2, 4])
def test_matrix_atoms_move_what_their_layouts_hold(count: int):
    layout = matrices(count)
    for name in ("ldsm_m88", "ldsm_mt88", "stsm_m88", "stsm_mt88"):
        atom = COPY_ATOMS[f"{name}_x{count}"]
        assert atom.shape == layout.shape
        assert atom.vector_bytes == 2 * layout.registers


@mark.parametrize("access", AccessShape, ids=lambda access: access.value)
def test_tensor_memory_atoms_move_what_their_fragments_hold(access: AccessShape):
    fragment = ACCESS_FRAGMENTS[access]
    atom = COPY_ATOMS[f"tmem_load_{access.value}_x1"]
    assert atom.shape == (fragment.extent[0], 32 * fragment.extent[1])
    assert atom.vector_bytes == 4 << len(fragment.register)


def operand_registers(atom: MMAAtom, shape: MMAShape) -> tuple[int, int, int]:
    """The 32-bit registers of A, B and the accumulator, by the layouts."""
    per_word = 32 // atom.operand_bits
    a = mma_operand_a((shape.m, shape.k), (1, 1), atom.operand_bits, shape.m).registers
    b = mma_operand_b((shape.k, shape.n), (1, 1), atom.operand_bits).registers
    accumulator = mma_accumulator((shape.m, shape.n), (1, 1), shape.m).registers
    halves = 2 if atom.accumulator == "f16" else 1
    return a // per_word, b // per_word, accumulator // halves


def warp_line(atom: MMAAtom, shape: MMAShape) -> str:
    before, after = atom.ptx.split(" ")
    opcode = f"{before}.m{shape.m}n{shape.n}k{atom.packing * shape.k}{after}"
    if atom.a == "f64":
        a = mma_operand_a((shape.m, shape.k), (1, 1), 64, shape.m).registers
        b = mma_operand_b((shape.k, shape.n), (1, 1), 64).registers
        c = registers(mma_accumulator((shape.m, shape.n), (1, 1), shape.m).registers, "%d")
        return f"{opcode} {c}, {registers(a, '%d')}, {registers(b, '%d')}, {c};"
    a, b, accumulator = operand_registers(atom, shape)
    c = registers(accumulator, "%f" if atom.accumulator == "f32" else "%r")
    scales = ", %r0, {%h0, %h1}, %r1, {%h0, %h1}" if atom.scale else ""
    return f"{opcode} {c}, {registers(a)}, {registers(b)}, {c}{scales};"


def warpgroup_line(atom: MMAAtom, shape: MMAShape) -> str:
    before, after = atom.ptx.split(" ")
    halves = 2 if atom.accumulator == "f16" else 1
    d = registers(shape.n // 2 // halves)
    floats = ", 1, 1" if atom.accumulator != "s32" else ""
    transposes = ", 0, 0" if atom.operand_bits == 16 else ""
    opcode = f"{before}.m{shape.m}n{shape.n}k{shape.k}{after}"
    return f"{opcode} {d}, %rd0, %rd1, %p0{floats}{transposes};"


def tensor_memory_line(atom: MMAAtom) -> str:
    scales = "[%r2], [%r3], " if atom.scale else ""
    return f"{atom.ptx} [%r0], %rd0, %rd1, %r1, {scales}%p0;"


def test_ptxas_accepts_every_shape_of_warp_atoms(tmp_path: Path):
    by_target: dict[tuple[str, tuple[int, int]], list[str]] = {}
    for atom in MMA_ATOMS.values():
        if atom.kind is MMAKind.WARP:
            for shape in atom.shapes:
                target = next(t for t in TARGETS.values() if shape.is_available(t))
                version = max(shape.ptx_version, target.minimum_ptx_version)
                by_target.setdefault((target.name, version), []).append(warp_line(atom, shape))
    assert len(by_target) == 7
    for (target, version), lines in by_target.items():
        assert rejected(tmp_path, target, version, lines) == []


def test_ptxas_accepts_every_shape_of_warpgroup_atoms(tmp_path: Path):
    for version in ((8, 0), (8, 4)):
        lines = [
            warpgroup_line(atom, shape)
            for atom in MMA_ATOMS.values()
            if atom.kind is MMAKind.WARPGROUP
            for shape in atom.shapes
            if shape.ptx_version == version and (atom.a == "f16" or shape.n in (8, 40, 48, 256))
        ]
        assert len(lines) > 4
        assert rejected(tmp_path, "sm_90a", version, lines) == []


def test_ptxas_refuses_the_columns_that_integer_wgmma_lacks(tmp_path: Path):
    atom = MMA_ATOMS["wgmma_s8_s8_s32"]
    columns = {shape.n for shape in atom.shapes}
    lines = [
        warpgroup_line(atom, MMAShape(64, n, 32)) for n in range(8, 257, 8) if n not in columns
    ]
    assert len(lines) == 14
    assert rejected(tmp_path, "sm_90a", (8, 0), lines) == lines


@mark.parametrize("target", ["sm_100a", "sm_100f"])
def test_ptxas_accepts_every_tensor_memory_atom(target: str, tmp_path: Path):
    by_version: dict[tuple[int, int], set[str]] = {}
    for atom in MMA_ATOMS.values():
        if atom.kind is MMAKind.TENSOR_MEMORY and atom.available_shapes(get_target(target)):
            version = max(atom.shapes[0].ptx_version, get_target(target).minimum_ptx_version)
            by_version.setdefault(version, set()).add(tensor_memory_line(atom))
    assert sum(map(len, by_version.values())) == (7 if target == "sm_100a" else 6)
    for version, lines in by_version.items():
        assert rejected(tmp_path, target, version, sorted(lines)) == []


def test_the_a_operand_of_wgmma_takes_four_registers():
    for atom in MMA_ATOMS.values():
        if atom.kind is MMAKind.WARPGROUP:
            shape = atom.shapes[0]
            layout = wgmma_operand_a((64, shape.k), (1, 1), atom.operand_bits)
            assert layout.registers * atom.operand_bits == 4 * 32
            assert shape.k * atom.operand_bits == 256


def test_the_newest_kind_comes_first():
    def names(target: str, a: str, accumulator: str) -> list[str]:
        return [atom.name for atom in mma_atoms(get_target(target), a, a, accumulator)]

    assert names("sm_80", "f16", "f32") == ["mma_f16_f16_f32"]
    assert names("sm_90a", "f16", "f32") == ["wgmma_f16_f16_f32", "mma_f16_f16_f32"]
    assert names("sm_100a", "f16", "f32") == ["umma_f16_f16_f32", "mma_f16_f16_f32"]
    assert names("sm_80", "e4m3", "f32") == []
    assert names("sm_120a", "e2m1", "f32") == ["mma_e2m1_e2m1_f32"]
    assert names("sm_103a", "s8", "s32") == ["mma_s8_s8_s32"]


def test_scaled_atoms_have_their_scales_and_blocks():
    def names(target: str, scale: str, block: int) -> list[str]:
        found = mma_atoms(get_target(target), "e2m1", "e2m1", "f32", scale, block)
        return [atom.name for atom in found]

    assert names("sm_100a", "ue8m0", 32) == [
        "umma_mxf4_e2m1_e2m1_f32",
        "umma_mxf8f6f4_e2m1_e2m1_f32",
    ]
    assert names("sm_120a", "ue8m0", 16) == ["mma_mxf4nvf4_e2m1_e2m1_f32_ue8m0"]
    assert names("sm_100f", "ue4m3", 16) == ["umma_mxf4nvf4_e2m1_e2m1_f32"]
    assert names("sm_100", "ue4m3", 16) == []


def test_atoms_of_bytes_have_half_of_what_their_instruction_has_along_k():
    pairs = [atom for atom in MMA_ATOMS.values() if atom.a == PAIR]
    assert len(pairs) == 6
    for atom in pairs:
        of_elements = MMA_ATOMS[atom.name.replace(PAIR, PAIR_ELEMENT)]
        assert (atom.packing, of_elements.packing) == (2, 1)
        assert atom.numbers == of_elements.numbers == (PAIR_ELEMENT, PAIR_ELEMENT)
        assert 2 * atom.scale_block == of_elements.scale_block
        for shape, other in zip(atom.shapes, of_elements.shapes, strict=True):
            assert shape == replace(other, k=other.k // 2)
            assert shape.k * atom.operand_bits == other.k * of_elements.operand_bits


def test_shapes_follow_the_target():
    atom = MMA_ATOMS["mma_f64_f64_f64"]
    on_ampere = atom.available_shapes(get_target("sm_80"))
    assert [(shape.m, shape.n, shape.k) for shape in on_ampere] == [(8, 8, 4)]
    assert len(atom.available_shapes(get_target("sm_90"))) == 4
    assert MMA_ATOMS["mma_mxf4nvf4_e2m1_e2m1_f32"].scale_block == 16
    assert Feature.BLOCK_SCALED_MMA not in get_target("sm_120").features
