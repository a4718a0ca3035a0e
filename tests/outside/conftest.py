"""The projects of other packages are tested in processes of their own."""

collect_ignore = ["ollama_chat"]
