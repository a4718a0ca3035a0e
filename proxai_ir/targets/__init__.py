"""What a target supports: the notation of tables, the base table, structural constraints, conditions, checks,
models.
"""
