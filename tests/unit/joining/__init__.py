"""Parts of extensions, as the levels of the road know them."""
