"""The paper's Table 1, row by row, and its statistics."""
