"""Control flow: regions, scopes and slices of programs."""
