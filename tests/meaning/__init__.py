"""What payloads mean, and that it arrives: cases that are not understood rightly yet are marked `not_yet`."""
