"""For `xdsl-opt`: the dialect and the pass, imported on first use."""

from importlib import import_module

from xdsl.universe import Universe

UNIVERSE = Universe(
    all_dialects={"linalg_door": lambda: import_module("linalg_door.tiles").LinalgDoor},
    all_passes={
        "convert-linalg-to-cuda-tile": lambda: (
            import_module("linalg_door.conversion").ConvertLinalgToCudaTilePass
        )
    },
)
