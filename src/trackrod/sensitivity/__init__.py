"""What a parameter does to the indices, which parameters the manoeuvres can tell apart, how far each may go."""
