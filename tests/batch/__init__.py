"""Many rows: results in memory and in files."""
