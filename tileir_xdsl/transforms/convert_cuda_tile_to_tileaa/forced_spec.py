"""Launch properties of kernels that options force, overriding hints."""

from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.nv_tileaa.attributes import MAX_WARPS, KernelSpecAttr
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class ForcedSpec:
    """Forced launch properties; None leaves a property to hints and the compiler."""

    num_warps: int | None = None
    num_ctas: int | None = None
    occupancy: int | None = None

    def set_hints(self, module: ModuleOp, target: Target) -> None:
        """Replaces the kernels' hints for the target by the forced values.

        Raises `PassFailedException` for values that a kernel_spec cannot have.
        """
        self._check()
        forced = {
            "num_worker_warps_per_cta": self.num_warps,
            "num_cta_in_cga": self.num_ctas,
            "occupancy": self.occupancy,
        }
        entries: dict[str, Attribute] = {
            name: IntegerAttr(value, i32) for name, value in forced.items() if value is not None
        }
        if not entries:
            return
        architecture = f"sm_{target.compute_capability}"
        for op in ops_in(module):
            if isinstance(op, cuda_tile.EntryOp):
                hints = {} if op.optimization_hints is None else op.optimization_hints.value.data
                # As in `hints_for`: the entry of the target replaces the default as a whole.
                own = hints.get(architecture, hints.get("default"))
                kept = own.data if isinstance(own, DictionaryAttr) else {}
                merged = DictionaryAttr({**kept, **entries})
                op.optimization_hints = OptimizationHintsAttr({**hints, architecture: merged})

    def set_warps(self, module: ModuleOp) -> None:
        """Sets the exact number of warps of converted kernels, since a hint would be clamped."""
        if self.num_warps is None:
            return
        for op in ops_in(module):
            if isinstance(op, nv_tileaa.FuncOp) and op.kernel_spec is not None:
                occupancy = getattr(op.kernel_spec.occupancy, "data", None)
                ctas = op.kernel_spec.num_ctas.data
                op.kernel_spec = KernelSpecAttr(self.num_warps, ctas, occupancy)

    def _check(self) -> None:
        warps = self.num_warps
        # Layouts divide a tile among warps by powers of two.
        if warps is not None and not (0 < warps <= MAX_WARPS and warps.bit_count() == 1):
            raise PassFailedException(
                f"num-warps must be a power of two up to {MAX_WARPS}, but got {warps}"
            )
        for name, value in (("num-ctas", self.num_ctas), ("occupancy", self.occupancy)):
            if value is not None and value < 1:
                raise PassFailedException(f"{name} must be positive, but got {value}")
