"""Limits fitted from frames."""
