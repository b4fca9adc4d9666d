"""Makes the pictures of the README from the real program: the demo fleet in a real terminal (tmux),
its screen captured with colours and written as SVG; the page of a report as Chromium draws it.

    pip install rich && python docs/pictures/make.py target/release/burntop [NAME …]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS, ROWS = 110, 32
# Fixed, so that the same program draws the same picture.
NOW = "2026-11-20T14:20:00Z"
# Some that go, and some that are blocked for different reasons.
ACTING = "train-7b or scratch-cpu or resumed-run or last-target or do-not-stop or spot-leftover or sp-covered"
# Keys; None waits for what takes longer than a key.
PICTURES = [
    # What could be saved is worked out once the fleet is there.
    ("overview", [None]),
    ("commitments", [None, "o"]),
    ("spot", [None, ":", "spot", "Enter"]),
    ("guide", [None, ":", "guide", "Enter"]),
    ("gpus", ["2"]),
    ("gpu", ["2", "/", "llm-7b-sweep-222", "Enter", "j", "Enter", None]),
    ("heat", ["2", "m"]),
    ("idle", ["3"]),
    ("why", ["3", "/", "eval-sweep", "Enter", "Enter"]),
    ("filter", ["3", "/", "gpu<5 and $>10/h and team=nlp"]),
    ("presets", ["3", "p"]),
    ("help", ["?"]),
    ("own-cost", ["$"]),
    # Storage is read after the fleet.
    ("storage", [None, "4", None]),
    ("explorer", [None, "4", None, "j", "i", None, "Enter", None, "Enter", None, "Enter"]),
    ("tiers", [None, "4", None, "j", "i", None, "Enter", None, "t", None]),
    ("runs", [None, "4", None, "j", "i", None, "Enter", None, "o", "o", "o", "o"]),
    ("bill", [None, "8", None, "o"]),
    ("network", [None, "5", None]),
    ("teams", [None, "6", None]),
    ("jobs", [None, "9", None]),
    ("attempt", [None, "9", None, "/", "job=9001 and attempt=1", "Enter", "Enter", None]),
    # Half a year of the past is read first.
    ("whatif", ["7", None, None, None, None, "b", None, None]),
    ("act", ["3", "/", ACTING, "Enter", "V", "G", "V", "a", "Enter", None]),
    ("confirm", ["3", "/", ACTING, "Enter", "V", "G", "V", ":", "terminate", "Enter", None, "c", None, "terminate 4"]),
]
# Commands that print and end.
COMMANDS = [
    ("watch", "watch --demo --once --rules {rules} --limit 20"),
]
# Messages go to a file: the picture is of the list.
RULES = "assets/rules.example.toml"
REPORT = "report weekly --demo --format html --out {out}"
# Width and height of the page's picture.
PAGE = (1000, 1130)


def tmux(*args):
    return subprocess.run(["tmux", "-L", "burntop-pictures", "-f", "/dev/null", *args], capture_output=True, text=True)


def capture(burntop, home, keys):
    armed = " --allow-actions" if "a" in keys or "terminate" in keys else ""
    started(home, f"{burntop} --demo{armed} --now {NOW}")
    time.sleep(4)
    for key in keys:
        if key is None:
            time.sleep(3)
            continue
        tmux("send-keys", *(["-l"] if len(key) > 1 and key != "Enter" else []), key)
        time.sleep(0.6)
    return ended()


def started(home, command):
    env = f"HOME={home} LANG=C.UTF-8 TERM=tmux-256color"
    tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), f"env -u NO_COLOR {env} {command}")


def ended():
    time.sleep(1)
    screen = tmux("capture-pane", "-p", "-e").stdout
    tmux("kill-server")
    return screen


def printed(burntop, home, command):
    """The screen after a command, below its command line."""
    rules = os.path.join(home, "rules.toml")
    with open(os.path.join(HERE, "../..", RULES), encoding="utf-8") as file:
        text = file.read().replace('type = "stdout"', f'type = "file"\npath = "{home}/sent.jsonl"')
    with open(rules, "w", encoding="utf-8") as file:
        file.write(text)
    shown = "burntop " + command.replace(" --rules {rules}", "")
    line = command.format(rules=rules)
    started(home, f"sh -c 'echo \"$ {shown}\"; {burntop} {line} --now {NOW}; sleep 60'")
    time.sleep(8)
    return ended()


def page(burntop, home):
    """The picture of a report, by the browser."""
    chromium = shutil.which("chromium") or sys.exit("report: there is no chromium")
    html, picture = os.path.join(home, "report.html"), os.path.join(HERE, "report.png")
    command = [burntop, *REPORT.format(out=html).split(), "--now", NOW]
    ended = subprocess.run(command, env={"HOME": home, "PATH": os.environ["PATH"]}, stdout=subprocess.DEVNULL)
    # A region of the demo answers in part.
    if ended.returncode not in (0, 3):
        sys.exit("report: it was not made")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking",
             f"--user-data-dir={home}/chromium", f"--window-size={PAGE[0]},{PAGE[1]}", f"--screenshot={picture}"]
    subprocess.run([chromium, *flags, f"file://{html}"], check=True, stderr=subprocess.DEVNULL)
    print(picture)


def main():
    burntop = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        # Names after the program: these alone.
        is_wanted = lambda name: name in sys.argv[2:] or not sys.argv[2:]
        if is_wanted("report"):
            page(burntop, home)
        for name, how in [of for of in PICTURES + COMMANDS if is_wanted(of[0])]:
            screen = printed(burntop, home, how) if isinstance(how, str) else capture(burntop, home, how)
            console = Console(width=COLUMNS, record=True, file=open(os.devnull, "w"), legacy_windows=False)
            console.print(Text.from_ansi(screen.rstrip("\n")), soft_wrap=True)
            path = os.path.join(HERE, f"{name}.svg")
            console.save_svg(path, title=f"burntop: {name}", theme=MONOKAI)
            with open(path) as f:
                svg = f.read()
            # No picture fetches a font: the reader's own monospace will do.
            with open(path, "w") as f:
                f.write(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S))
            print(path)


if __name__ == "__main__":
    main()
