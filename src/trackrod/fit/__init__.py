"""Fitting of parameters: objective, searches, confidence, sensitivity, identifiability. It knows no vehicle."""
