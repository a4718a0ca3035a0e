"""Whole agents through the gateway: command line programs of npm, against providers that respond by a script."""
