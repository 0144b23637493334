"""Instruction forms and their meaning, one module per family of the PTX ISA."""
