"""Named measures over frames."""
