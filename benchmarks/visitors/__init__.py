"""Many visitors of the app at once, without browsers: `python -m benchmarks.visitors`."""
