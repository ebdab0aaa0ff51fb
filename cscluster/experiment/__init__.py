"""From a YAML file to a plan of trials, and from the plan to records."""
