"""`python -m marrow`."""

from marrow.cli.main import run

if __name__ == "__main__":
    try:
        run()
    finally:
        # Where KeyboardInterrupt has left code that was a string (dataclasses are made of such),
        # Python takes it for unhandled, though it was caught, and `python -m` dies by SIGINT in the
        # end. The next such code lets it forget that (`run_eval_code_obj` in pythonrun.c).
        exec("")
