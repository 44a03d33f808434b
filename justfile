# The door to everything: `just` lists the recipes. Each is one line over the CLI or a tool.

set positional-arguments

_default:
    @just --list

# Report on your own transcripts (the bundled sample when there are none)
measure *ARGS:
    setpoint report --or-sample "$@"

# Fit limits from your own transcripts
fit *ARGS:
    setpoint fit "$@"

# The default test suite (under 5 minutes)
test *ARGS:
    pytest -n auto -m "not slow and not e2e and not shared and not browser and not notebook" "$@"

# Everything that CI checks but the client and the benchmarks
check:
    ruff format --check . && ruff check . && mypy && just test

# The HTML page in headless Chromium (Debian: apt-get install chromium)
browser *ARGS:
    uv run --group browser pytest -m browser tests/policy/test_page_in_browser.py "$@"

# A notebook on your own data: 01_explore, 02_refit or 03_compare
notebook NAME="01_explore" *ARGS:
    shift; uv run --group notebooks marimo edit "notebooks/{{NAME}}.py" -- "$@"

# The three notebooks, headless, on the bundled sample
notebooks *ARGS:
    uv run --group notebooks pytest -m notebook tests/test_notebooks.py "$@"

# The real client against a scripted API (installs the client by version)
e2e *ARGS:
    pytest -m e2e tests/e2e "$@"

# Rewrite data/prices.json from genai-prices, then compare it with the figures of litellm (a 44 MB wheel)
prices:
    python -m scripts.prices
    uv run --with litellm==1.110.2 python -m scripts.prices_litellm

# Fetch the pinned charting library of the HTML page again
vendor:
    python -m scripts.vendor_uplot

# Speed and memory claims, as ratios in one run
bench *ARGS:
    python -m benchmarks "$@"

# Write the golden reports and the README's output anew (then review the diff)
golden:
    SETPOINT_GOLDEN=write pytest -q tests/test_golden.py tests/test_readme.py

# Write docs/frames.md from the column declarations
docs:
    python -m measure.docs

# Make the bundled sample anew
sample:
    python data/make_sample.py
