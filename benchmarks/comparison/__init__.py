"""The real-time model against the multibody model: the table of ``docs/comparison.md``, by one command.

usage: python -m benchmarks.comparison [--vehicles NAME …] [--bushings FACTOR …] [--rows ROW,…] [--json FILE] [--write]

``--vehicles``
    Bundled names, files that `trackrod` can open, or first_cla_class; all bundled vehicles if not given.
``--bushings``
    Factors on all bushings; 1 if not given. Without vehicles and bushings the whole table is driven: every bundled
    vehicle with 1, 0.6 and 2, and first_cla_class with 0.2.
``--rows``
    Rows or groups of rows, with commas; everything if not given:
    ``handling`` = step,ramp,sweep,acceleration,braking; ``limit`` = limit_step,dwell,fishhook,j_turn,lane_change;
    ``posts`` = heave,pitch,roll,warp,top_mount,warp_stiffness (vans only); ``other`` = road,torque,stop;
    ``derivatives`` = signs (lcv_7t only).
``--json``
    File for every number, not only the worst ones.
``--write``
    Put the table into ``docs/comparison.md``.
``--jobs``
    Processes, 1 or 2; 2 if not given.

    python -m benchmarks.comparison --vehicles suv --bushings 1 0.6 --rows step,posts,road --json out/suv.json

K&C maps and runs of the multibody model are kept (``$TRACKROD_CACHE``) under the code that they depend on: a command
that was stopped goes on where it was, and after a change in the real-time model only that is driven again. References
are integrated at 0.25 ms where wheels vibrate, at 0.5 ms where the driver is quick, at 1 ms where everything is slow;
the real-time model runs at 1 ms.

Each row is driven with moving and with quasi-static compliance, against one run of the multibody model. What is shown
is the worst number of each kind with its name; numbers are in percent unless they say otherwise, those above their
target in bold. Where the default model misses a target its sub-models are swapped one by one. The laws of the numbers
are those of `trackrod compare` (`trackrod.metrics.indices`).
"""
