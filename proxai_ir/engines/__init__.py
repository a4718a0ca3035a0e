"""Conversions on Ray Data and Spark (spec/engines.md).

    from proxai_ir.engines import ray_data

    dataset = ray_data.convert(dataset, "openai_chat_completions", "anthropic_messages", column="payload")

Rule 1: the engine alone distributes the work. Rule 2: an error costs one row: a refused row has a rule and a pointer in
columns of its own, and no output.
"""
