"""Parameters from residuals: objective, searches, confidence, sensitivity, identifiability; no vehicle is known here."""
