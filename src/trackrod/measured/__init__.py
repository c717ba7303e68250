"""Measured data: recordings and their channels, how they become runs, what is wrong in them; virtual measurement."""
