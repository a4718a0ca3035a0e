"""What only some servers of Chat Completions accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what every current server accepts.
"""

CAPABILITIES = {
    "allowed_choices": True,  # a choice among some of the tools; off: among all of them
    "any_role_order": True,  # messages of the user right after the results of tools, instructions at the end
    "assistant_last": True,  # a message of the assistant's at the end of a request; off: it is dropped
    "audio": True,  # audio in messages
    "cache_breakpoints": False,  # also `prompt_cache_options`: newer models only; others refuse the whole request
    "call_ids": True,  # ids of calls in any form; off: they are rewritten to nine letters and digits
    "content_arrays": True,  # arrays of texts where a string would do: some compatible servers take strings only
    "custom_tools": False,  # OpenAI's models; compatible servers call them as functions, which no client expects
    "document_links": False,  # the URL of a document as text, which a model with a tool for it can open
    "documents": True,  # files in messages; off: text is sent as text, others are refused
    "developer_role": True,  # off: the role is written as `system`
    "effort_none": False,  # `reasoning_effort: "none"`: models that always reason refuse it
    "empty_text": True,  # off: it is left out, and messages that hold nothing else
    "google_signatures": False,  # on calls and messages of requests, in `extra_content`: servers of Google's models
    "images": True,
    "json_schema": True,  # schemas of the output; off: JSON of any shape is requested
    "logprobs": True,
    "max_completion_tokens": True,  # off: the limit is written as `max_tokens`, which older servers know
    "openai_settings": True,  # of OpenAI's platform: tiers, verbosity, moderation, storage, ids of users, prompt caches
    "other_documents": False,  # files that are no PDF
    "own_sampling": False,  # the server's defaults of temperature and top p are not OpenAI's, so 1 is sent as well
    "reasoning_content": True,  # thinking in messages of the assistant; off: it is left out
    "seed": True,
    "speech": True,  # spoken output: `modalities` and `audio`
    "stream_options": True,
    "strict_tools": True,
    "system_in_place": True,  # instructions in mid-conversation, and several messages of them at the beginning
    "web_search": False,  # `web_search_options`: only search models accept it, and they search whatever the prompt is
}
