"""The stages of a study, one file each: what it needs, what it makes, how, and what the report says of it."""
