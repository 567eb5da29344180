"""Check a Java file by asking the compiler that `JavaChecker.java` keeps running."""

from __future__ import annotations

import os
import socket
import sys

if __name__ == "__main__":
    with socket.create_connection(("127.0.0.1", int(os.environ["JAVA_PORT"]))) as connection:
        connection.sendall(os.path.abspath(sys.argv[1]).encode() + b"\n")
        sys.exit(0 if connection.recv(1) == b"y" else 1)
