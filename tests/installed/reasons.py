"""Names of what is installed that our tables lack, by part: the reason of each group."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, Mapping[str, str]] = {
    "operations": {
        "stands in a section of its own, not among the operations of a function": (
            "EntryOp EntryOp.sym_name EntryOp.arg_attrs EntryOp.res_attrs "
            "EntryOp.optimization_hints GlobalOp GlobalOp.sym_name GlobalOp.value "
            "GlobalOp.alignment GlobalOp.constant GlobalOp.symbol_visibility ModuleOp "
            "ModuleOp.sym_name ModuleOp.producer"
        ),
        "preview: calls a function of a Tile library, which we do not link": (
            "PreviewCallOp PreviewCallOp.operands PreviewCallOp.callee PreviewCallOp.const_args "
            "PreviewCallOp.arg_attrs PreviewCallOp.res_attrs"
        ),
    },
    "enumerations": {
        "hints are dictionaries of names in all versions; nothing that is written has the numbers": (
            "HintKey.NumCTAInCGA HintKey.Occupancy HintKey.AllowTMA HintKey.Latency "
            "HintKey.NumWorkerWarpsPerCTA"
        ),
        "no operation of the format has it": (
            "Synchronization.None_ Synchronization.Warp Synchronization.Warpgroup "
            "Synchronization.CTA"
        ),
        "how cuTile rounds to formats, which is not stored": (
            "NonFiniteBehavior.IEEE NonFiniteBehavior.NanOnlyAllOnes NonFiniteBehavior.FiniteOnly"
        ),
        "ends the sections of a file": "_Section.EndOfBytecode",
    },
    "architectures of ptxas": {
        "Tile IR is for sm_80 and later": "sm_75",
    },
    "flags of ptxas": {
        "what `runtime.ptxas.assemble` passes": ("verbose gpu-name generate-line-info output-file"),
        "other forms of input and output": (
            "help version verbose2 input-as-string options-file list-arch list-version machine "
            "entry compiler-annotations"
        ),
        "for objects that a linker joins; we assemble whole programs": (
            "compile-only compile-as-tools-patch device-function-maxrregcount enable-func-clone-sc "
            "extensible-whole-program position-independent-code preserve-relocs "
            "suppress-position-independent-code-warning"
        ),
        "kernels say it themselves: bounds of launches, registers, cache modifiers, fused sums": (
            "maxntid maxrregcount minnctapersm override-directive-values def-load-cache "
            "def-store-cache force-load-cache force-store-cache fmad"
        ),
        "the assembler's own choice is kept": (
            "opt-level Ofast-compile allow-expensive-optimizations apply-controls "
            "disable-optimizer-constants dont-merge-basicblocks optimize-float-atomics "
            "register-usage-level return-at-end make-errors-visible-at-exit "
            "legacy-bar-warp-wide-behavior jobserver split-compile"
        ),
        "code is not instrumented, and has no variables to debug": (
            "device-debug device-stack-protector g-tensor-memory-access-check "
            "gno-fabric-access-check gno-tensor-memory-access-check sanitize sp-bounds-check "
            "suppress-debug-info"
        ),
        "warnings are shown as they come; `tileir lint` reads resources from `--verbose`": (
            "disable-warnings suppress-async-bulk-multicast-advisory-warning "
            "suppress-double-demote-warning suppress-sparse-mma-advisory-info "
            "suppress-stack-size-warning warn-on-double-precision-use warn-on-local-memory-usage "
            "warn-on-spills warning-as-error"
        ),
    },
}
"""A row goes when we support what it names; nothing else may be listed."""


def listed(part: str) -> Mapping[str, str]:
    """The reasons of a part by name."""
    groups = REASONS.get(part, {})
    return {name: reason for reason, names in groups.items() for name in names.split()}
