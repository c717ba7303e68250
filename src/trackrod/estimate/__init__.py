"""Parameters of a vehicle from measured tests, each with an interval that holds the truth in 95 of 100 cases."""
