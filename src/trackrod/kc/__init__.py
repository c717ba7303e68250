"""The virtual K&C rig: one axle on a fixed body, its kinematics, its compliance, and the maps made of them."""
