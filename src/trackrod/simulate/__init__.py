"""Driving: a model of a vehicle and a manoeuvre give a run."""
