"""Random instructions by the grammar of the emulator's form tables, for the emulator and `ptxas`."""
