"""What is tuned in a real-time model: parameters, bounds, tests, and the result of a study."""
