"""What the protocols of one vendor share: words that mean the same in each of them."""
