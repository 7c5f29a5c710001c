"""Does the suite notice when the library is wrong? Faults are planted, and must be found.

``python -m mutation`` (or ``make mutants``) plants one fault at a time, runs the tests that are
about it, and notes whether they fail. What it has found is kept in
``build/mutants``, so that it goes on where it was stopped.

- ``python_mutants``: changes of the Python, made by the operators of cosmic-ray, a sample of them.
- ``core_faults``: changes of the native core, chosen by hand; ``core_build`` compiles them all into
  one core, in which the environment chooses.
- ``reach``: which tests run which function of Python, as measured.
- ``definitions``: which function a line of Python is in.
- ``selections``: which modules are changed; which tests are about which file of the core.
- ``judged``: what survived and may.
- ``trial``: runs the tests in a process that has all libraries loaded but ours.
"""
