"""Many runs: a file says what is varied and how, tasks of some runs are driven anywhere, a table keeps the results."""
