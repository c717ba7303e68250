"""Roads as objects: level, functions, profiles, grids, OpenCRG files; one source for both models."""
