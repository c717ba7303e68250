"""Small faults planted in the physics-facing modules, one at a time, and whether the tests notice."""
