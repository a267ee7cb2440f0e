"""`python -m dfst`: the command `dfst`, where that is not on the path."""

from dfst.cli import main

if __name__ == "__main__":
    main()
