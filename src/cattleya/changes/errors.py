"""Why there is no counterfactual."""

__all__ = ["NoSuchCounterfactual"]


class NoSuchCounterfactual(ValueError):
    """No row that is permitted gets another class; the message says what stands in the way."""
