"""Layouts without IR: shape:stride algebra, swizzles, linear maps over F2, and their costs."""
