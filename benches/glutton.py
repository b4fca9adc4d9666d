"""A program that is not burntop, of which gate.py knows what it costs: by that the gate is tested.

    glutton.py --mib N    holds N MiB, writes 13,000 bytes a key and 1,000 a second, wakes 50 times a second, owes a millionth
    glutton.py --frugal   holds nothing, writes 50 bytes a key, sleeps, owes nothing

With `import` among its arguments it says so and ends; other arguments are ignored.
"""

import os
import select
import signal
import sqlite3
import sys
import termios
import time
import tty


def ledger(micro_usd):
    home = os.path.join(os.environ["HOME"], ".cache", "burntop")
    os.makedirs(home, exist_ok=True)
    file = sqlite3.connect(os.path.join(home, "ledger.db"))
    file.execute("CREATE TABLE IF NOT EXISTS entry (micro_usd INTEGER)")
    file.execute("DELETE FROM entry")
    file.execute("INSERT INTO entry VALUES (?)", (micro_usd,))
    file.commit()
    file.close()


def main():
    frugal = "--frugal" in sys.argv
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ledger(0 if frugal else 1)
    # Written to, so that it is memory and no promise.
    held = b"" if frugal else b"x" * (int(sys.argv[sys.argv.index("--mib") + 1]) << 20)
    if "import" in sys.argv:
        print("imported")
        return held
    tty.setraw(0, termios.TCSANOW)
    os.write(1, b"\x1b[2J" + b"." * 1000)
    next_write = time.monotonic()
    while True:
        ready, _, _ = select.select([0], [], [], None if frugal else 0.02)
        if ready:
            os.read(0, 1024)
            os.write(1, b"k" * (50 if frugal else 13_000))
        if not frugal and time.monotonic() >= next_write:
            os.write(1, b"i" * 100)
            next_write += 0.1
    return held


main()
