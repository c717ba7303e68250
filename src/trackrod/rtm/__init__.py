"""The real-time model with 14 degrees of freedom: body, wheel travels and wheel spins, on maps of the suspensions."""
