"""shap's TreeExplainer: the values of a row's features for the class that the tree gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.workers.clocks import settled


def start(given: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Import shap, and make its explainer, beforehand."""
    import shap

    model = given["model"]
    explainer = shap.TreeExplainer(model)

    def answer(row: Any) -> dict[str, Any]:
        seconds, values = settled(lambda: explainer.shap_values(row))
        place = int(np.flatnonzero(model.classes_ == model.predict(row.reshape(1, -1))[0])[0])
        return {"seconds": {"values": seconds}, "values": np.asarray(values)[:, place].tolist()}

    return answer


if __name__ == "__main__":
    serve(start)
