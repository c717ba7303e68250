"""The real-time model in readable form, for tests and readers: `model` is the place to begin."""
