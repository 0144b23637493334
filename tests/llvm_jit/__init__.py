"""Random LLVM functions on the CPU, by LLVM's JIT, and as PTX of LLVM's backend in the emulator."""
