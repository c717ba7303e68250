"""Writes the databases of the bundled vehicles from their data sheets: ``python -m tools.bundle``.

Each vehicle has a module here that reads like a data sheet: masses, hardpoints, target frequencies. `design` turns it
into spring rates, preloads and clearances by the rigid kinematics of the templates, `database` into files.
"""
