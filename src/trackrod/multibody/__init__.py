"""The detailed model: a vehicle as bodies and elements, its equilibrium and its motion."""
