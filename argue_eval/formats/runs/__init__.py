"""Forms of runs: one system's reports, a report per topic."""
