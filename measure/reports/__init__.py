"""Reports over frames."""
