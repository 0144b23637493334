"""Writes `docs/ptx_instructions.md`, what the emulator does with each instruction of the PTX ISA.

`python -m docs.ptx_instructions` reads the list of instructions.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.ptx_grammar.known import KNOWN
from tileir_xdsl.emulator.instructions.isa import CHAPTERS, REFUSED

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "ptx_instructions.md"
TEXT = """# Instructions of the PTX ISA in the emulator

The emulator executes each instruction of the PTX ISA, or rejects it for a reason given here.
Written by `python -m docs.ptx_instructions` from the tables of the emulator; a test checks it.

Loading PTX with an unsupported instruction raises an `EmulatorError` of the
[emulator](emulator.md), which names the first one:

    instruction 'tex' is not supported: there are no textures and surfaces

Unsupported combinations of qualifiers are errors, too: `unknown instruction 'cvt.rs.f16x2.f32'`.
`tileir_xdsl/emulator/instructions` lists the supported forms in the manual's notation. These are
also errors, with the line of the text: calls through pointers (`indirect calls are not supported`),
recursion, addresses of functions, variables of types `.texref`, `.samplerref` and `.surfref`, and
the special registers `%envreg`, `%pm`, `%current_graph_exec` and `%reserved_smem_offset`.

{chapters}

## Differences from ptxas

`python -m tests.ptx_grammar --family all --seeds 2000` generates random instructions of 12
families, and checks them with `Module.check` and `ptxas`. All differences are:

| accepted by the emulator |
| --- |
{emulator}

| accepted by `ptxas` |
| --- |
{ptxas}
"""


def status(name: str) -> str:
    """What the emulator does with an instruction."""
    return f"refused: {REFUSED[name]}" if name in REFUSED else "executed"


def chapters() -> Iterator[str]:
    for chapter, names in CHAPTERS.items():
        rows = "\n".join(f"| `{name}` | {status(name)} |" for name in names)
        yield f"## {chapter}\n\n| instruction | |\n| --- | --- |\n{rows}"


def accepted(refused_by: str) -> str:
    """The rows of instructions that one of the two refuses."""
    return "\n".join(f"| {row.reason} |" for row in KNOWN if row.refused_by == refused_by)


def page() -> str:
    """The text of the page."""
    return TEXT.format(
        chapters="\n\n".join(chapters()), emulator=accepted("ptxas"), ptxas=accepted("emulator")
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
