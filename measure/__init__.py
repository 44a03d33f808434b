"""Counts: transcripts in, tidy frames and reports out. No money, no decision."""
