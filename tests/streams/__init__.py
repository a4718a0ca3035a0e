"""Laws of streams: of their bytes, their prefixes, their orders, their folds, their size; and how a caller meets them.

What is recorded and the judge of it stand in `../shared` (see tests/held); tests that need them skip where they are
absent. All other streams are written by hand or generated, and put together by `gathering`, which is not the library's.
"""
