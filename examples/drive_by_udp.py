"""A driver at the other end of `trackrod realtime VEHICLE --udp 5005`: accelerates, steers, prints what it hears.

usage: drive_by_udp.py PORT [SECONDS]
"""

from __future__ import annotations

import math
import socket
import struct
import sys
import time

from trackrod.core.signals import SIGNALS

REQUEST, HEAD = struct.Struct("<4sHHII4d"), struct.Struct("<4sHHIIII")
SPEED, YAW_RATE = (list(SIGNALS).index(name) for name in ("vx_mps", "yaw_rate_radps"))


def talk(line: socket.socket, number: int, angle: float, throttle: float, brake: float = 0.0) -> list[float]:
    """Send inputs [rad], 0 to 1, and return the newest signals in the order of the vocabulary."""
    line.send(REQUEST.pack(b"TRKI", 1, 0, number, 0, angle, throttle, brake, 0.0))
    answer = line.recv(65536)
    magic, version, count, _step, _heard, _flags, _dropped = HEAD.unpack_from(answer)
    assert (magic, version) == (b"TRKO", 1)
    return list(struct.unpack_from(f"<{count}d", answer, HEAD.size))


if __name__ == "__main__":
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.connect(("127.0.0.1", int(sys.argv[1])))
    for i in range(1, 1 + int(100 * float(sys.argv[2] if len(sys.argv) > 2 else 10.0))):
        told = talk(line, i, 0.3 * math.sin(0.01 * i), 0.4)
        if i % 100 == 0:
            print(f"{3.6 * told[SPEED]:6.1f} km/h, {math.degrees(told[YAW_RATE]):6.1f} °/s")
        time.sleep(0.01)
