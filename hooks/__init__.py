"""Acts: the installed runtime and its installer."""
