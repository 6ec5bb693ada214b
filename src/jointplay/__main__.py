"""``python -m jointplay`` is the command ``jointplay``."""

from .cli.app import main

if __name__ == "__main__":
    main()
