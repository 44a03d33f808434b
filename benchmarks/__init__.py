"""Speed and memory claims, one file a claim: `python -m benchmarks`."""
