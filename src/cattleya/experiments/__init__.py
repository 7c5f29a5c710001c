"""The paper's experiments, run again and run further. Uses the library as a user would.

1. what is printed: ``report``, ``results_page``, ``peer_report``, and ``figure``.
2. what is run: ``table1``, ``peers``, ``growth``.
3. one row, one fold, one set: ``row_record``, ``protocol``, ``statistics``, ``families``.
4. plain services: ``paper_table``, ``data_sets``, ``coding``, ``journal``, ``apart``,
   ``prime_cnf``, ``tables``, ``drawing``, ``progress``, ``machine``.

``workers`` has programs that run in a process of their own: the peers, and one question for growth.
"""
