"""Models as other programs take them: FMUs, C++ sources, data sets of CarMaker."""
