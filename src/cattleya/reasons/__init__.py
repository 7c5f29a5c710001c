"""The complete reason of a row, and the answers that follow from it."""
