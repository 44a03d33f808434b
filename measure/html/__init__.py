"""The page: one self-contained HTML file of finished reports and context curves. No text of a transcript is in it."""
