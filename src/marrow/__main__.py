"""`python -m marrow`."""

from marrow.cli.main import run

if __name__ == "__main__":
    run()
