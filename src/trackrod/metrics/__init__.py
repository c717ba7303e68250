"""Characteristic values of manoeuvres, and how far two runs of one manoeuvre lie apart."""
