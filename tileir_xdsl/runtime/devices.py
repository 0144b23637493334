"""What runs PTX."""

EMULATOR, GPU_DEVICE = "emulator", "gpu"
DEVICES = (EMULATOR, GPU_DEVICE)
