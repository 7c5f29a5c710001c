"""
Many rows on a cluster
======================

``python examples/cluster.py dask`` (or ray, or none) explains the rows of a data set on a cluster.

Any backend of joblib will do. Here the cluster is two processes of this machine; give its address
to explain on other machines, which need the same version of Cattleya and nothing else.

    pip install distributed        # Dask
    pip install ray                # Ray
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import joblib
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya


@contextmanager
def dask() -> Iterator[None]:
    """Start Dask; ``Client("tcp://address:8786")`` would connect to a cluster that is there."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        yield


@contextmanager
def ray() -> Iterator[None]:
    """Start Ray; ``ray.init("ray://address:10001")`` would connect to a cluster that is there."""
    import ray
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    register_ray()
    try:
        with joblib.parallel_config("ray", n_jobs=2):
            yield
    finally:
        ray.shutdown()


@contextmanager
def none() -> Iterator[None]:
    """Start nothing: here, one row after the other."""
    yield


def main(name: str) -> None:
    """Explain every wine."""
    wine = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(wine.data, wine.target)
    explainer = cattleya.Explainer(model)
    with {"dask": dask, "ray": ray, "none": none}[name]():
        table = explainer.explain_all(wine.data, ["minimal", "count"])
    print(f"{len(table)} rows, {(table['status'] == 'ok').sum()} explained")
    print(table[["prediction", "minimal_size", "count"]].head())
    _, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    sizes = table.groupby("minimal_size", observed=True).size()
    axes.bar(sizes.index.astype(str), sizes)
    axes.set(xlabel="conditions in a shortest reason", ylabel="wines")
    plt.show()


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] and sys.argv[1] in ("dask", "ray") else "none")
