"""What maintainers run by hand: `python -m scripts.NAME`. Not part of the package."""
