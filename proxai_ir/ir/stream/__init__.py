"""A response in time: its events, their order, and whole responses of them."""
