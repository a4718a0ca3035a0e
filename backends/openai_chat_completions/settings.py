"""What only some servers of Chat Completions accept, and the options of conversions to them (CAP-1, CAP-2)."""

from proxai_ir.backends._openai.conditions import COMPOSED_PARAMETERS
from proxai_ir.binding.server import capability, option
from proxai_ir.ir.parts import FunctionCall, Text
from proxai_ir.rules import models
from proxai_ir.rules.constraints import SealSlot
from proxai_ir.wire import openai_chat_completions as wire

from .conditions import short_call_id

SIGNED = dict.fromkeys((FunctionCall, Text), SealSlot(wire.GOOGLES[:1], wire.GOOGLES[1]))

MODELS = models.taken(
    "effort_with_tools efforts forced_choice forced_with_thinking function_tools high_temperature highest_effort "
    "images json_with_tools least_effort logprobs medium_effort named_choice parallel_tools penalties sampling "
    "sampling_with_thinking seed several_candidates stop_sequences strict_tools structured_output thinking "
    "thinking_off thinks_by_default token_limit tool_choice tools_with_thinking unreasoned_calls xhigh_effort "
    "zero_temperature",
    thinking_off=False,
)

SETTINGS = {
    **MODELS.settings,
    **COMPOSED_PARAMETERS,
    "allowed_choices": capability(True, "a choice among some of the tools; it is among all of them otherwise (TUL-7)"),
    "any_role_order": capability(
        True,
        "user messages after tool results (else a placeholder is inserted, PLC-70); instructions at the end (PLC-21)",
        {"any_role_order": False},
    ),
    "assistant_last": capability(
        True, "an assistant message at the end; it is dropped otherwise (PLC-19)", {"last_turn": "dropped"}
    ),
    "audio": capability(True, "audio in messages; it is refused otherwise (SRC-3)"),
    "cache_breakpoints": capability(False, "cache breakpoints and `prompt_cache_options` (CAC-4): newer models"),
    "cache_keys": capability(True, "`prompt_cache_key` (CAC-5)"),
    "cache_retention": capability(True, "`prompt_cache_retention` (CAC-5)"),
    "call_ids": capability(
        True, "call ids of any form; otherwise nine letters and digits are sent (TUL-13)", {"call_id": short_call_id}
    ),
    "content_arrays": capability(True, "arrays of texts where a string would do (PLC-8)", {"text_arrays": False}),
    "custom_tools": capability(False, "custom tools, else refused or emulated (TUL-2, TUL-19): OpenAI's newer models"),
    "developer_role": capability(True, "the role `developer`; `system` is sent otherwise"),
    "document_links": capability(False, "the URL of a document as text, for models that can open it (DOC-7)"),
    "documents": capability(True, "files in messages; otherwise text is sent as text, others are refused (SRC-3)"),
    "empty_text": capability(
        True, "empty text; it is left out otherwise, and messages of nothing else (PLC-12)", {"empty_text": False}
    ),
    "end_users": capability(True, "ids of end users (USR-2)"),
    "generated_images": capability(False, "images that a model made, in requests (IMG-4); responses always have them"),
    "google_signatures": capability(
        False,
        "Google's signatures in requests (RSN-4): its own servers; responses always have them",
        {"seals": SIGNED},
    ),
    "instruction_roles": capability(
        True, "messages of the system or developer; they are the user's otherwise (PLC-25)"
    ),
    "json_schema": capability(True, "schemas of the output; JSON of any shape is requested otherwise (OUT-10)"),
    "max_completion_tokens": capability(True, "this name of the limit; `max_tokens` is sent otherwise", renames=True),
    "metadata": capability(True, "`metadata` (USR-3)"),
    "moderation": capability(True, "`moderation` (MOD-1)"),
    "openai_settings": capability(
        True, "service tier, verbosity, moderation, storage, metadata, ids of end users and prompt caches of OpenAI's"
    ),
    "other_audio": capability(False, "recordings that are neither WAV nor MP3; they are refused otherwise (SRC-3)"),
    "other_documents": capability(False, "files that are no PDF; text is sent as text otherwise (DOC-6)"),
    "own_sampling": capability(False, "other defaults of temperature and top p than 1, which is sent then (SMP-6)"),
    "random_seed": capability(False, "`random_seed`, which is the seed's name then", renames=True),
    "reasoning_content": capability(True, "reasoning in messages of the assistant (RSN-17)"),
    "reasoning_member": capability(
        "reasoning_content", "the name of that reasoning", choices=("reasoning_content", "reasoning"), renames=True
    ),
    "reasoning_seals": capability(
        "none",
        "whose members for sealed reasoning the server reads in requests (RSN-15)",
        choices=("none", "copilot", "databricks", "litellm"),
    ),
    "role_neighbours": capability(
        True, "consecutive messages with one role; otherwise they are joined (PLC-5)", {"role_neighbours": False}
    ),
    "safety_identifier": capability(True, "this name of an end user's id; `user` is sent otherwise", renames=True),
    "service_tiers": capability(True, "service tiers (SVC-1)"),
    "speech": capability(True, "spoken output, `modalities` and `audio` (OUT-6)"),
    "store": capability(True, "`store` (SVC-2)"),
    "stream_options": capability(True, "`stream_options` (STR-13)"),
    "system_in_place": capability(
        True, "instructions in mid-conversation (PLC-2), and several messages at the beginning", {"later": "nowhere"}
    ),
    "thinking_member": capability(
        "reasoning_effort",
        "the member that switches thinking off",
        choices=("reasoning_effort", "thinking", "enable_thinking"),
        renames=True,
    ),
    "top_k": capability(False, "`top_k` (SMP-3)"),
    "unstored_metadata": capability(False, "metadata of requests that are not stored (USR-3)"),
    "verbosity": capability(True, "`verbosity` (OUT-5)"),
    "web_search": capability(False, "`web_search_options`: servers that search whatever the prompt is (TUL-6)"),
    "include_usage": option(True, "whether a usage chunk is sent before `[DONE]`; true by default", of="streams"),
}
