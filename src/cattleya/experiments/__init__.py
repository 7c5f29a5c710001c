"""The paper's experiments, run again and run further. Uses the library as a user would.

1. what is printed: ``report``, ``tables``, ``figure``, ``growth_report``, ``peer_report``.
2. what is run: ``table1``, ``peers``, ``growth``.
3. one row, one fold, one file: ``row_record``, ``protocol``, ``journal``, ``statistics``.
4. plain values: ``paper_table``, ``data_sets``, ``coding``, ``prime_cnf``, ``machine``.

``workers`` has the peers, each a program that runs in a process of its own (``apart``).
"""
