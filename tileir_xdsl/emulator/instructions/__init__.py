"""Instruction forms and their semantics, one module per family of the PTX ISA."""
