"""Models for other programs: FMUs and C++ sources."""
