"""Measurements side by side with the papers and with other libraries; each module is a command."""
