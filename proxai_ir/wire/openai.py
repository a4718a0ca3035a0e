"""OpenAI's words that all protocols of its API share: efforts, service tiers, cache markers, errors (ERR-1, ERR-3).

Facts of the official types of the `openai` package and of its error guide. What differs between the protocols stands in
their own vocabularies.
"""

from __future__ import annotations

from typing import Any

from ..ir.error import CODES as OVERFLOW_CODES
from ..ir.error import ErrorCategory
from ..ir.request import Effort, Tier
from ..ir.tools import ChoiceMode

PROVIDER = "openai"  # whose seals and stored files these are

EFFORT = {effort.value: effort for effort in Effort}
NO_EFFORT = "none"

TIER = {
    "auto": Tier.AUTO,
    "default": Tier.STANDARD,
    "flex": Tier.FLEX,
    "scale": Tier.SCALE,
    "priority": Tier.PRIORITY,
}
TIER_OF = {tier: word for word, tier in TIER.items()}
IMAGE_DETAILS = ("auto", "low", "high", "original")
MOST_OF_END_USER = 128  # characters of the id of the person who asks
FAST = "fast"  # stands among the tiers
MOST_METADATA = 16  # pairs, each of a key and a text of at most so many characters
LONGEST_KEY, LONGEST_VALUE = 64, 512

PARTS: dict[str, tuple[str, dict[str, str]]] = {
    "text": ("input_text", {}),
    "image_url": ("input_image", {"image_url": "url", "detail": "detail"}),
    "file": ("input_file", {one: one for one in ("file_data", "file_id", "filename")}),
}
"""The parts of both protocols, by their type in the older one, where the members stand inside a member of the type's
name: their type in the other, where the members stand at the top, and by these the names in the older one."""
WRAPPED = frozenset({"function", "custom", "allowed_tools", "json_schema", "grammar"})
"""The types of tools, choices and formats whose members stand inside such a member, too, under the same names."""
CALLS = {"function": "function_call", "custom": "custom_tool_call"}
"""The types of items for calls, by the types of calls in messages of the older protocol."""
RESULT = {"tool_call_id": "call_id", "content": "output"}
"""The names of a result's members in an item, by those in a message of the older protocol."""

ANY_TOOL = "any"  # Mistral's word for a required call
CHOICE = {"auto": ChoiceMode.AUTO, "none": ChoiceMode.NONE, "required": ChoiceMode.REQUIRED}

IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})

MARKER_TTL = {"30m": 1800, "12h": 43200}  # seconds; of a prompt_cache_breakpoint

SETTINGS_PATHS: dict[str, Any] = {
    "Caching": {
        "automatic": "prompt_cache_options/mode",
        "lifetime": "prompt_cache_options/ttl",
        "key": "prompt_cache_key",
        "retention": "prompt_cache_retention",
    },
    "Service": {
        "tier": "service_tier",
        "fast": "service_tier",
        "end_user": ("safety_identifier", "user"),
        "user": "user",
    },
}
"""Where settings stand in the requests of both protocols."""

ERROR_TYPE = {
    "invalid_request_error": ErrorCategory.INVALID_REQUEST,
    "authentication_error": ErrorCategory.AUTHENTICATION,
    "insufficient_quota": ErrorCategory.BILLING,
    "permission_error": ErrorCategory.PERMISSION,
    "not_found_error": ErrorCategory.NOT_FOUND,
    "request_too_large": ErrorCategory.TOO_LARGE,
    "rate_limit_error": ErrorCategory.RATE_LIMIT,
    "requests": ErrorCategory.RATE_LIMIT,
    "tokens": ErrorCategory.RATE_LIMIT,
    "server_error": ErrorCategory.SERVER,
    "api_error": ErrorCategory.SERVER,
    "timeout": ErrorCategory.TIMEOUT,
    "service_unavailable_error": ErrorCategory.OVERLOADED,
    "overloaded_error": ErrorCategory.OVERLOADED,
}
ERROR_TYPE_OF = {
    ErrorCategory.INVALID_REQUEST: "invalid_request_error",
    ErrorCategory.CONTEXT_LENGTH: "invalid_request_error",
    ErrorCategory.AUTHENTICATION: "authentication_error",
    ErrorCategory.BILLING: "insufficient_quota",
    ErrorCategory.PERMISSION: "permission_error",
    ErrorCategory.NOT_FOUND: "not_found_error",
    ErrorCategory.TOO_LARGE: "request_too_large",
    ErrorCategory.RATE_LIMIT: "rate_limit_error",
    ErrorCategory.SERVER: "server_error",
    ErrorCategory.TIMEOUT: "timeout",
    ErrorCategory.OVERLOADED: "overloaded_error",
    ErrorCategory.UNKNOWN: "server_error",
}
# The type of an error that has a code alone.
ERROR_CODE_OF = ERROR_TYPE_OF | {
    ErrorCategory.RATE_LIMIT: "rate_limit_exceeded",
    ErrorCategory.CONTEXT_LENGTH: "context_length_exceeded",
}
# Codes that clients act on, written where the source has none.
NEEDED_CODE_OF = {ErrorCategory.CONTEXT_LENGTH: "context_length_exceeded"}
ERROR_CODE = {
    "invalid_api_key": ErrorCategory.AUTHENTICATION,
    "insufficient_quota": ErrorCategory.BILLING,
    "billing_hard_limit_reached": ErrorCategory.BILLING,
    "unauthenticated": ErrorCategory.AUTHENTICATION,  # xAI, before a colon
    "exceeded_current_quota_error": ErrorCategory.BILLING,  # Moonshot AI, as the type
    # of Moonshot AI, as the type
    "invalid_authentication_error": ErrorCategory.AUTHENTICATION,
    "incorrect_api_key_error": ErrorCategory.AUTHENTICATION,
    "permission_denied_error": ErrorCategory.PERMISSION,
    "resource_not_found_error": ErrorCategory.NOT_FOUND,
    "rate_limit_reached_error": ErrorCategory.RATE_LIMIT,
    "engine_overloaded_error": ErrorCategory.OVERLOADED,
    "model_decommissioned": ErrorCategory.NOT_FOUND,  # Groq, with the status 400
    # of Alibaba's Model Studio
    "InvalidApiKey": ErrorCategory.AUTHENTICATION,
    "Arrearage": ErrorCategory.BILLING,  # with the status 400
    **dict.fromkeys(
        ("Throttling", "Throttling.RateQuota", "Throttling.AllocationQuota", "limit_requests"), ErrorCategory.RATE_LIMIT
    ),
    "usage_limit_reached": ErrorCategory.RATE_LIMIT,  # of subscriptions, as the type
    "usage_not_included": ErrorCategory.BILLING,
    "server_is_overloaded": ErrorCategory.OVERLOADED,
    "slow_down": ErrorCategory.OVERLOADED,
    "overloaded": ErrorCategory.OVERLOADED,  # Text Generation Inference, as `error_type`
    "model_not_found": ErrorCategory.NOT_FOUND,
    "image_file_not_found": ErrorCategory.NOT_FOUND,
    "rate_limit_exceeded": ErrorCategory.RATE_LIMIT,
    "vector_store_timeout": ErrorCategory.TIMEOUT,
    "unsupported_country_region_territory": ErrorCategory.PERMISSION,
    "data_residency_mismatch": ErrorCategory.PERMISSION,
    "misalignment_policy_violation": ErrorCategory.PERMISSION,
    "image_file_too_large": ErrorCategory.TOO_LARGE,
    # of Azure
    "RateLimitReached": ErrorCategory.RATE_LIMIT,
    "DeploymentNotFound": ErrorCategory.NOT_FOUND,
    "ServiceUnavailable": ErrorCategory.OVERLOADED,
    "InternalServerError": ErrorCategory.SERVER,
} | dict.fromkeys(
    """
    string_above_max_length invalid_prompt bio_policy cyber_policy invalid_image invalid_image_format
    invalid_base64_image invalid_image_url image_too_large image_too_small image_parse_error
    image_content_policy_violation invalid_image_mode unsupported_image_media_type empty_image_file
    failed_to_download_image content_filter content_policy_violation invalid_value invalid_type unsupported_value
    unsupported_parameter unknown_parameter missing_required_parameter unsupported_file tool_use_failed
    json_validate_failed InvalidParameter invalid_parameter_error
    DataInspectionFailed data_inspection_failed
    """.split(),
    ErrorCategory.INVALID_REQUEST,
)
ERROR_CODE |= dict.fromkeys(OVERFLOW_CODES, ErrorCategory.CONTEXT_LENGTH)
NUMBERED = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), ErrorCategory.AUTHENTICATION),
    **dict.fromkeys(("1110", "1111", "1112", "1121", "1220", "1311"), ErrorCategory.PERMISSION),
    **dict.fromkeys(("1113", "1309"), ErrorCategory.BILLING),
    **dict.fromkeys(("1211", "1221", "1222"), ErrorCategory.NOT_FOUND),
    **dict.fromkeys(("1210", "1212", "1213", "1214", "1215", "1301"), ErrorCategory.INVALID_REQUEST),
    **dict.fromkeys(("1302", "1303", "1304", "1305", "1308", "1310", "1313"), ErrorCategory.RATE_LIMIT),
    "1261": ErrorCategory.CONTEXT_LENGTH,
    "1312": ErrorCategory.OVERLOADED,
}
"""The category by the codes of Z.AI, most with the status 429. Its errors have no type; Mistral's, which have one, give
other meanings to such numbers: "1000" is that of a server that failed."""
NO_WORDS = ("Provider returned error",)
"""Messages of routers that have the provider's own error next to them, as OpenRouter does in `metadata.raw`."""
GENERIC = frozenset({"invalid_request_error", "server_error", "api_error"})
"""Types that servers give to errors of every kind, and as codes: a status says more (ERR-10)."""


def is_metadata(key: Any, value: Any) -> bool:
    """Return whether `metadata` may hold a pair."""
    return isinstance(value, str) and len(value) <= LONGEST_VALUE and len(key) <= LONGEST_KEY


def error_type(word: str | None, category: ErrorCategory) -> str:
    """Return the type of an error: OpenAI's own word if there is one, otherwise the word of the category."""
    return word if word in OWN_TYPES and word is not None else ERROR_TYPE_OF[category]


OWN_TYPES = frozenset(ERROR_TYPE) - {"api_error"}  # which others use for `server_error`
