"""Files to compare with, and lists of cases."""
