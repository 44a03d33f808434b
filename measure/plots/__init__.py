"""Pictures of what was counted: functions from frames to a matplotlib Figure. Nothing here opens a file."""
