"""A report made by hand that has something in every part of the page."""

from typing import Any

from tests.unit.report.page.samples import line, phase, report

LINES = 3000
"""Of the PTX: far more than fit on any screen."""

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 120" role="img"><title>Layout</title>
<rect width="400" height="120" fill="#ffffff"/>
<rect data-id="o2" x="10" y="10" width="80" height="40" fill="#56b4e9"/>
<rect data-id="v9 o3" x="110" y="10" width="80" height="40" fill="#e69f00"/>
<script>window.ran = true</script></svg>"""

PTX = {
    "title": "add.ptx",
    "language": "ptx",
    "lines": [
        *[line(f"mov.u32 %r{n}, {n};") for n in range(LINES)],
        line("ld.global.b32 %r1, [%rd3];", "o2", spans=((14, 17, "v2"),)),
        line("bar.sync 0;"),
        line(".minnctapersm 8"),
        line("add.f32 %f1, %r1, %f3;", "o3", spans=((8, 11, "v3"), (13, 16, "v2"))),
    ],
}


def _source() -> list[dict[str, Any]]:
    return [
        line("entry @add(%p: tile<ptr<f32>>) {", "o1", spans=((11, 13, "v1"),)),
        line("  %x = load_ptr_tko weak %p", "o2", spans=((2, 4, "v2"), (25, 27, "v1"))),
        line("  %y = addf %x, %x", "o3", spans=((2, 4, "v3"), (12, 14, "v2"), (16, 18, "v2"))),
        line("  %z = negf %y", "o4", spans=((2, 4, "v4"), (12, 14, "v3"))),
        line("}"),
    ]


def _numbered(*extra: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        line("nv_tileaa.func @add(%p: !nv_tileaa.ptr<f32>) {", "o1", spans=((20, 22, "v1"),)),
        {
            **line("  %0 = nv_tileaa.load %p", "o2", spans=((2, 4, "v2"), (22, 24, "v1"))),
            "number": 0,
        },
        *extra,
        {
            **line(
                "  %1 = nv_tileaa.addf %0, %0",
                "o3",
                spans=((2, 4, "v3"), (22, 24, "v2"), (26, 28, "v2")),
            ),
            "number": 1,
        },
        *[line(f"  // filler {n}") for n in range(30)],
        line("}"),
    ]


DECISION = {
    "function": "add",
    "op": "#0 nv_tileaa.load",
    "ids": ["o2"],
    "chosen": "ldg_32",
    "why": "the cheapest",
    "candidates": [
        {"name": "ldg_32", "score": 322.0, "pruned": None, "force": "assign{force=#0=ldg_32}"},
        {"name": "ldg_64", "score": None, "pruned": "only 4 bytes aligned", "force": None},
    ],
    "facts": {"group": ["#0 nv_tileaa.load", "#1 nv_tileaa.addf"], "score": 322.0},
}


def _phases() -> list[dict[str, Any]]:
    names = ["read", "convert", "canonicalize", "slice", "assign", "barriers", "to-llvm"]
    barrier = line("  nv_tileas.barrier agent", "o3")
    texts = {0: _source(), 1: _numbered(), 4: _numbered(), 5: _numbered(barrier)}
    texts[6] = [line("llvm.func @add() {", "o1"), line("}")]
    phases = [phase(index, name, texts.get(index)) for index, name in enumerate(names)]
    for one, level in zip(phases, ["cuda_tile", *["nv_tileas"] * 5, "llvm"], strict=True):
        one["level"] = level
    phases[0]["dead"] = ["v4"]
    phases[4]["decisions"] = [DECISION]
    phases[4]["drawings"] = [
        {
            "kind": "layout",
            "title": "Layout of %0",
            "ids": ["o2"],
            "svg": SVG,
            "text": "thread 0 holds element 0",
            "trace": {"traceEvents": []},
        }
    ]
    phases[5]["remarks"] = ["add.mlir:3:3: remark: a barrier"]
    phases[5]["ops"] = {"nv_tileaa.addf": 1, "nv_tileas.barrier": 1}
    return phases


RESOURCES = {
    "kernel": "add",
    "registers": {"predicted": 300, "actual": 255},
    "spills": 48,
    "shared_bytes": 1024,
    "tensor_columns": 0,
    "threads": 128,
    "blocks_per_sm": 4,
    "occupancy": 0.25,
    "limit": "registers",
    "roofline": None,
}

SASS = [
    line("LDG.E R4, [R2] ;", "o2"),
    line("STL [R1], R4 ;", "o3"),
    line("LDL R4, [R1] ;", "o3"),
    line("STL [R1+4], R5 ;", "o2"),
]

SITES = [
    {"title": "add.ptx", "line": 3001, "text": "ld.global.b32 %r1, [%rd3];", "ids": ["o2"]},
    {"title": "add.ptx", "line": 3004, "text": "add.f32 %f1, %r1, %f3;", "ids": ["o3"]},
]

RUN = {
    "instructions": {"ld.global": 4, "bar.sync": 8},
    "barrier_waits": [{"barrier": 0, "warp": 1, "steps": 40}],
    "races": [{"first": SITES[0], "second": SITES[1], "message": "not ordered"}],
    "values": [{"id": "v2", "shape": [2, 2], "values": [[1.0, 2.0], [3.0, 4.5]]}],
}


def full_report(**changes: Any) -> dict[str, Any]:
    """A report of seven passes on three thousand lines of PTX."""
    sass = {"title": "add", "language": "sass", "lines": SASS}
    parts: dict[str, Any] = {
        "sources": [{"title": "kernels/add.mlir", "language": "mlir", "lines": _source()}],
        "phases": _phases(),
        "ptx": PTX,
        "sass": sass,
        "resources": RESOURCES,
        "run": RUN,
    }
    return report(**{**parts, **changes})


def failing_report() -> dict[str, Any]:
    """A report that ends in pass 5, with a diagnostic at the load."""
    failure = {
        "phase": 5,
        "message": "'nv_tileaa.load' op needs too much",
        "where": "somewhere/add.mlir:2:3",
        "ids": ["o2"],
    }
    phases = _phases()[:6]
    phases[5] = {**phases[5], "lines": None, "changed": False}
    return full_report(
        status="failed",
        failure=failure,
        phases=phases,
        ptx=None,
        sass=None,
        resources=None,
        run=None,
    )
