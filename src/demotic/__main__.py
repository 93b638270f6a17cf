"""``demotic``, also as ``python -m demotic``."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly, also while modules are still being loaded."""
    try:
        from demotic.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
