"""A small report as JSON, of which tests change what they are about."""

from typing import Any


def line(text: str, *ids: str, spans: tuple[tuple[int, int, str], ...] = ()) -> dict[str, Any]:
    """A line of a text as JSON."""
    return {"text": text, "ids": list(ids), "spans": [list(span) for span in spans]}


def phase(index: int, name: str, lines: list[dict[str, Any]] | None) -> dict[str, Any]:
    """A phase as JSON; without lines it changed nothing."""
    return {
        "index": index,
        "pass": name,
        "spec": name,
        "level": "nv_tileas",
        "seconds": 0.001,
        "changed": lines is not None,
        "ops": {"nv_tileaa.addf": 1},
        "lines": lines,
        "dead": [],
        "remarks": [],
        "decisions": [],
        "drawings": [],
    }


SUM = line("%1 = addf %x, %y : tile<8xf32>", "o1", spans=((0, 2, "v1"), (10, 12, "v2")))


def report(**changes: Any) -> dict[str, Any]:
    """A finished report of two passes, the second of which changed nothing."""
    result = {
        "schema": "tileir-report",
        "version": 1,
        "file": "add.mlir",
        "kernels": ["add"],
        "gpu": "sm_90a",
        "options": {"opt_level": 3},
        "command": "tileir explain add.mlir --gpu sm_90a",
        "tools": {"tileir": "0.1.0", "ptxas": None},
        "status": "done",
        "failure": None,
        "sources": [{"title": "add.mlir", "language": "mlir", "lines": [SUM]}],
        "phases": [phase(0, "read", [SUM, line("return")]), phase(1, "canonicalize", None)],
        "ptx": {
            "title": "add.ptx",
            "language": "ptx",
            "lines": [line("add.f32 %f1, %f2, %f3;", "o1")],
        },
        "sass": None,
        "llvm_ir": None,
        "assembly": None,
        "resources": None,
        "run": None,
    }
    return {**result, **changes}


FAILURE = {"phase": 1, "message": "no layout for <x>", "where": "add.mlir:3:5", "ids": ["o1"]}
