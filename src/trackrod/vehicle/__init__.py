"""The neutral description of a vehicle: what it is made of, in SI units, independent of any file format."""
