"""From files to raw tables: find, decode, extract, growth."""
