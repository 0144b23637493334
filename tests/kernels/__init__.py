"""The zoo as PTX for many targets, and by cuTile's own export."""
