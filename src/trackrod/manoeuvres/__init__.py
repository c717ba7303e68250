"""What is driven: manoeuvres as frozen data, with their standards, settings, phases and ends; one registry of them."""
