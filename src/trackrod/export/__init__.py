"""Models as other programs take them."""
