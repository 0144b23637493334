"""The layout and buffer passes, in their pipeline order."""

FAMILY = (
    "tileas-assign-load-store-layouts",
    "tileas-remove-layout-conversions",
    "tileas-remove-buffer-alias",
    "tileas-remove-dead-args",
    "tileas-resolve-agent-boundary",
    "tileas-slicing",
)
