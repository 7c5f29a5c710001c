"""Trees, domains and conditions."""
