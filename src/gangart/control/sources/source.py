"""What every command source is: something that can be asked at any time what the one who steers wants (Bahr 7.3)."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from gangart.signals import Command, Wish

Say = Callable[[str], None]  # takes a sentence for the one who steers


class Source(ABC):
    """A keyboard, a gamepad, a program, a file: whoever steers, an engine hears the same.

    A source that does not hear from its device any more lets the robot stand still, and says so once. It is closed by
    leaving its `with` block.
    """

    live: bool = True  # its time is the wall clock's; otherwise the robot's, so that a replay gives the same again

    @abstractmethod
    def read(self, time: float) -> Wish:
        """What is wanted at a time [s] that never runs backwards; does not wait, and holds the last wish."""

    @abstractmethod
    def close(self) -> None:
        """Give the device back as it was; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def wishes(source: Source, clock: Callable[[], float] = time.monotonic) -> Callable[[float], Wish]:
    """A source as a function of the robot's time [s]; one that is live is asked by the wall clock instead."""
    if not source.live:
        return source.read
    start = clock()
    return lambda _: source.read(clock() - start)


def commands(source: Source, clock: Callable[[], float] = time.monotonic) -> Callable[[float], Command]:
    """The velocity of a source as a function of the robot's time [s]: what an engine or `simulate` takes."""
    wish = wishes(source, clock)
    return lambda now: wish(now).velocity


def to_log(sentence: str) -> None:
    """Where sentences go unless told otherwise: Python's log, and thereby standard error."""
    logging.getLogger("gangart").warning(sentence)
