"""Many trees whose leaves add up to what the model decides."""
