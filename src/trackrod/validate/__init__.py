"""Is a model valid for what it is used for? Criteria, verdicts and what stands behind each number."""
