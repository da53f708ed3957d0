"""`python -m sdtext` is the command `sdtext`."""

from sdtext.cli.main import run

if __name__ == "__main__":
    run()
