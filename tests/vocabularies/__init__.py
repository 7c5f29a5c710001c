"""The atoms of a row: features and intervals."""
