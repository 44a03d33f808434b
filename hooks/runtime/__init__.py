"""What is copied to the user: stdlib only, Python 3.9 syntax, relative imports only."""
