"""Reports that show money or limits."""
