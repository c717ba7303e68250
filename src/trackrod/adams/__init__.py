"""Adams/Car databases: property, subsystem, assembly and template files, read into neutral data."""
