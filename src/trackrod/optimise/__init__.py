"""Tuning: which parameters make the indices small, found by one of several methods."""
