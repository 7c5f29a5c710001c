"""Trees, domains, models, tables and pictures to test with."""
