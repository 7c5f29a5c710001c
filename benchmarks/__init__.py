"""Speed beside the peers: `python -m benchmarks` measures all tables of one build, in one run.

1. what is run: ``__main__``, with the ``settings``; what is written, and of which build:
   ``publishing``, ``build``.
2. a table each: ``engine``, ``counting``, ``vocabularies``, ``preferred``, ``counterfactuals``,
   ``batch``.
3. parts of them: ``package``, ``complete_trees``, ``counting_figures``, ``counting_report``.
4. plain services: ``cases``, ``timing``, ``report``.

The peers run in processes of their own, by the programs in
``cattleya.experiments.peers.workers``; only TreeSHAP and ``model.predict``, which are near to us,
take turns with the library in one process.
"""
