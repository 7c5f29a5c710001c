"""Text, limits, files and processes: what knows no tree."""
