"""Measurements beside the papers and other libraries; each module is a command."""
