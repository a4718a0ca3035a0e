"""A gateway between LLM clients and providers of any protocol: `proxai-ir serve`. Needs the extra `serve`.

Rule: the core imports nothing of it.
"""
