"""The workbench: a web face of the same commands. Layers: workspace and jobs on disk, the guard, pages on top."""
