"""Reports in a browser: `make browser` runs these with Debian's Chromium."""
