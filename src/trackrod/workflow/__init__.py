"""The stages from a vehicle to a comparison, in order, with what is expensive kept between calls."""
