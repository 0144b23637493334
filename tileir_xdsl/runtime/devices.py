"""The devices that run PTX."""

EMULATOR, GPU_DEVICE = "emulator", "gpu"
DEVICES = (EMULATOR, GPU_DEVICE)
