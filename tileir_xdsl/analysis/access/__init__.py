"""How memory is accessed: widths, atoms, costs."""
