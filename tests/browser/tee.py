"""Stands between an MCP client and a server on stdio, and writes down what both say.

    python tee.py RECORD COMMAND...

RECORD has a line of JSON for each message: who said it, and the line as it was.
"""

import json
import subprocess
import sys
import threading


def main():
    record = open(sys.argv[1], "a", encoding="utf-8")
    lock = threading.Lock()
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def carry(who, source, target):
        for line in source:
            with lock:
                record.write(json.dumps([who, line.decode()]) + "\n")
                record.flush()
            target.write(line)
            target.flush()
        target.close()

    said = threading.Thread(target=carry, args=("client", sys.stdin.buffer, server.stdin), daemon=True)
    said.start()
    carry("server", server.stdout, sys.stdout.buffer)
    return server.wait()


if __name__ == "__main__":
    sys.exit(main())
