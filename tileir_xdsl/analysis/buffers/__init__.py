"""Buffers: where they come from, how they are laid out, which pipelines they are stages of."""
