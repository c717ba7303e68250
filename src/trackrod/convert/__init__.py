"""From the multibody vehicle and its K&C maps to the real-time model."""
