"""The tidy frames; `load` is the door."""
