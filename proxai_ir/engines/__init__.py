"""Conversions on engines that people already run: Ray Data and Spark (spec/engines.md).

    from proxai_ir.engines import ray_data

    dataset = ray_data.convert(dataset, "openai_chat_completions", "anthropic_messages", column="payload")

Rule 1: nothing is distributed here, the engine does that. Rule 2: a row costs only itself: what is refused has a rule
and a pointer in columns of its own, and no output.
"""
