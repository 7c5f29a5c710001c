import gc

import pytest

from cattleya.support.garbage import no_garbage_search


def test_the_search_for_garbage_goes_on_after_an_error() -> None:
    def fail() -> None:
        with no_garbage_search():
            assert not gc.isenabled()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert gc.isenabled()


def test_a_search_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with no_garbage_search():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
