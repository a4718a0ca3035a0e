"""Descriptions of targets: the notation of tables, the base table, structural constraints, conditions and checks."""
