"""Small functions that build what scheduling needs again and again, at the point of a `Builder`."""
