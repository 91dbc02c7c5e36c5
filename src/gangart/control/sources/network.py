"""A network socket: programs steer with JSON messages in UDP datagrams, and the newest one counts."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_address
from typing import Any

from gangart.control.sources.message import wish_of
from gangart.control.sources.source import Say, Source, to_log
from gangart.errors import BadValue, GangartError, MissingTool
from gangart.signals import Command, Wish

LONGEST = 1024  # [bytes] of a message
SILENCE = 0.5  # [s] without a message after which the robot is to stand still
_MOST = 1000  # messages of one look: who floods the socket cannot hold up the robot
_LAST = 2**53  # sequence numbers are exact in every language up to here


class Network(Source):
    """Messages from a program on this machine, or on another one.

    Args:
        port: UDP; 0 takes a free one.
        host: the address that is listened on. There is no login: whoever reaches it steers.
        gaits: that messages may select.
        say: takes a sentence, for instance that messages stay away.
        silence: [s] without a message after which the robot is to stand still.
    """

    def __init__(
        self,
        port: int,
        host: str = "127.0.0.1",
        gaits: Sequence[str] = (),
        say: Say = to_log,
        *,
        silence: float = SILENCE,
    ) -> None:
        if not 0 <= port <= 65535:
            raise BadValue(f"port is {port}; it has to lie in 0…65535")
        if not silence > 0.0:
            raise BadValue(f"silence is {silence!r} s; it has to be above 0")
        self._gaits, self._say, self._silence = tuple(gaits), say, silence
        self._socket, self.address = _bound(host, port)
        if not ip_address(self.address[0].partition("%")[0]).is_loopback:
            say(f"listening on {self.address[0]}: whoever reaches port {self.address[1]} may steer, without a login")
        self.ignored = 0  # messages that were none, came late, or from somebody else
        self._wish = Wish()
        self._sender: str | None = None  # who steers, until it falls silent
        self._number = -1  # of its last message
        self._heard = -silence  # [s] when
        self._told = True  # that nobody steers
        self._complained = False

    def read(self, time: float) -> Wish:
        """The newest message; it stands still when that is too old [s]."""
        if time - self._heard > self._silence:
            self._sender, self._number = None, -1  # free for another one, also for one that begins to count anew
        for _ in range(_MOST):
            try:
                data, address = self._socket.recvfrom(LONGEST + 1)
            except BlockingIOError:
                break
            except OSError as failure:
                self._ignore(f"the socket says: {failure.strerror}")
                continue
            self._take(data, str(address[0]), time)
        if time - self._heard > self._silence:
            self._stand()
        return self._wish

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()

    def _take(self, data: bytes, sender: str, time: float) -> None:
        if self._sender not in (None, sender):
            return self._ignore(f"{sender} has to wait, for {self._sender} steers")
        try:
            number, wish = self._understood(data)
        except GangartError as error:
            return self._ignore(str(error))
        if number is not None and number <= self._number:
            return self._ignore(f"message {number} comes after {self._number}")
        self._number = self._number if number is None else number
        self._wish = replace(wish, quit=wish.quit or self._wish.quit)
        self._sender, self._heard, self._told = sender, time, False
        return None

    def _understood(self, data: bytes) -> tuple[int | None, Wish]:
        """Sequence number and wish of a message."""
        if len(data) > LONGEST:
            raise BadValue(f"a message may have {LONGEST} bytes at the most")
        try:
            found: Any = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BadValue(f"{data[:40]!r} is no JSON") from error
        number = found.pop("seq", None) if isinstance(found, dict) else None
        if number is not None and (type(number) is not int or not 0 <= number <= _LAST):
            raise BadValue(f"seq is {str(number)[:40]}; it has to be a whole number from 0 on")
        return number, wish_of(found, self._gaits, self._wish.gait)

    def _ignore(self, why: str) -> None:
        """Count it, and complain about the first one only: who floods the socket does not flood the screen."""
        self.ignored += 1
        if not self._complained:
            self._complained = True
            self._say(f"a message is ignored: {why}; further ones are ignored without a word")

    def _stand(self) -> None:
        self._wish = replace(self._wish, velocity=Command())
        if not self._told:
            self._told = True
            self._say(f"no message for {self._silence:g} s: the robot is to stand still")


def _bound(host: str, port: int) -> tuple[socket.socket, tuple[str, int]]:
    """A socket that listens, and where."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as failure:
        raise MissingTool(f"'{host}' is no address to listen on: {failure}") from failure
    try:
        made.setblocking(False)
        made.bind(address)
    except OSError as failure:
        made.close()
        raise MissingTool(f"cannot listen on {host}, port {port}: {failure.strerror}; try another port") from failure
    return made, made.getsockname()[:2]
