"""Parameters from measurements."""
