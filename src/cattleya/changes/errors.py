"""Why there is no counterfactual."""

__all__ = ["NoSuchCounterfactual"]


class NoSuchCounterfactual(ValueError):
    """No row that is permitted gets another class; the message says what stands in the way.

    Examples
    --------
    >>> import cattleya
    >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("old", "no", "yes"))).explain([1])
    >>> try:
    ...     e.counterfactuals(immutable=["old"])
    ... except cattleya.NoSuchCounterfactual as error:
    ...     print(str(error).partition("; ")[2])
    it takes only one of them to be lifted: old is immutable
    """
