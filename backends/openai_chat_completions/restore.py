"""What a source of Chat Completions wrote in another form than the canonical one, put back into canonical output.

Rule: called only for a node that has `extra`, which nodes of other protocols have lost by now (LOS-3). Each function
gets the canonical object of a node, and returns it where it may become another object.
"""

from __future__ import annotations

from proxai_ir.ir import parts, request
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.node import Cache, Extra, Seal
from proxai_ir.vendors.openai.writing import breakpoint_of
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Object, merge, put

DETAILS = "reasoning_details"


def with_extra(built: Object, extra: Extra) -> Object:
    """The extra fields of a node that has no other forms."""
    return merge(built, extra.fields) if extra.fields else built


def sign(built: Object, seal: Seal, extra: Extra | None) -> Object:
    """A call, a message or a delta with a signature of Google's; the wire form names the server that it is of."""
    forms = () if extra is None else extra.wire_forms
    signer = next((one for one in wire.SIGNERS if one in forms), wire.SIGNERS[0])
    built[wire.EXTRA_CONTENT] = {signer: {wire.SIGNATURE: seal_text(seal, wire.GOOGLES[0])}}
    return built


# --- requests ---------------------------------------------------------------------------------------------------------


def restore_request(built: Object, node: request.Request, extra: Extra) -> Object:
    """`max_tokens`: the older member for the limit; "both limits": both say the same."""
    if "max_tokens" in extra.wire_forms:
        del built["max_completion_tokens"]
    if "max_tokens" in extra.wire_forms or "both limits" in extra.wire_forms:
        built["max_tokens"] = node.max_tokens
    return with_extra(built, extra)


def restore_sampling(built: Object, sampling: request.Sampling, extra: Extra) -> None:
    """`stop` is a string; the seed is `random_seed`."""
    if "one stop" in extra.wire_forms and sampling.stop:
        built["stop"] = sampling.stop[0]
    if "random_seed" in extra.wire_forms:
        built["random_seed"] = built.pop("seed")


# --- tools ------------------------------------------------------------------------------------------------------------


def restore_format(built: Object, extra: Extra) -> Object:
    """A schema that stands in JSON mode."""
    if wire.JSON_MODE in extra.wire_forms:
        built = {"type": "json_object", "schema": built["json_schema"]["schema"]}
    return with_extra(built, extra)


def restore_tool(made: Object, extra: Extra) -> tuple[str, Object]:
    """The tool and the member that lists it: legacy functions are listed apart; some tools have no type."""
    if "functions" in extra.wire_forms:
        return "functions", with_extra(made["function"], extra)
    if "untyped" in extra.wire_forms:
        del made["type"]
    return "tools", with_extra(made, extra)


def restore_choice(made: Object | str, extra: Extra) -> tuple[str, Object | str]:
    """The choice and the member that holds it: legacy choices stand in `function_call`; some choices have no type."""
    if "function_call" in extra.wire_forms:
        return "function_call", made if isinstance(made, str) else with_extra(made["function"], extra)
    assert isinstance(made, dict)
    if "untyped" in extra.wire_forms:
        del made["type"]
    return "tool_choice", with_extra(made, extra)


# --- parts ------------------------------------------------------------------------------------------------------------

CACHE_CONTROL = {seconds: word for word, seconds in wire.CACHE_CONTROL_TTL.items()}


def restore_cache(part: Object, cache: Cache, extra: Extra) -> None:
    """`cache_control` is what routers to other vendors accept instead of `prompt_cache_breakpoint`."""
    if "cache_control" not in extra.wire_forms:
        part["prompt_cache_breakpoint"] = with_extra(breakpoint_of(cache), extra)
    elif cache.ttl is None:
        part["cache_control"] = {"type": "ephemeral"}
    else:
        part["cache_control"] = {"type": "ephemeral", "ttl": CACHE_CONTROL[cache.ttl]}


def restore_part(built: Object, extra: Extra) -> Object:
    """Addresses of documents and images as dialects have them."""
    if "document_url" in extra.wire_forms:
        file = built["file"]
        built = put({"document_url": file["file_data"]}, document_name=file.get("filename"))
    elif "file_url" in extra.wire_forms:
        file = built["file"]
        built = put({"file_url": {"url": file["file_data"]}}, file_name=file.get("filename"))
    elif "bare url" in extra.wire_forms:
        built["image_url"] = built["image_url"]["url"]
    return with_extra(built, extra)


def restore_reasoning(message: Object, part: parts.Reasoning, extra: Extra) -> None:
    """The forms name the members that hold the text: `reasoning_content`, `reasoning`, or both.

    `reasoning_details` are among the extra fields of the message.
    """
    if part.text is not None:
        for key in extra.wire_forms:
            if key != DETAILS:
                message[key] = message.get(key, "") + part.text


def restore_call(built: Object, call: parts.FunctionCall, extra: Extra) -> Object:
    """Calls without id or with a blank one, without type, with blank arguments or none."""
    if "no id" in extra.wire_forms:
        del built["id"]
    elif "blank id" in extra.wire_forms:
        built["id"] = ""
    if "untyped" in extra.wire_forms:
        del built["type"]
    if isinstance(call.arguments, str) and not call.arguments.strip():
        if "no arguments" in extra.wire_forms:
            del built["function"]["arguments"]
        elif "blank arguments" in extra.wire_forms:
            built["function"]["arguments"] = call.arguments
    return with_extra(built, extra)


# --- responses --------------------------------------------------------------------------------------------------------


def restore_response(built: Object, extra: Extra) -> Object:
    """A whole response or the envelope of chunks, which may lack a time."""
    if "no time" in extra.wire_forms:
        del built["created"]
    return with_extra(built, extra)


def restore_candidate(built: Object, extra: Extra) -> Object:
    """A choice that a filter left nothing of may have no message."""
    if "no message" in extra.wire_forms:
        del built["message"]
    return with_extra(built, extra)


def restore_message(message: Object, extra: Extra) -> Object:
    """Of a response: the member for refusals may be absent where there is none."""
    if "no refusal" in extra.wire_forms and message["refusal"] is None:
        del message["refusal"]
    return with_extra(message, extra)


def restore_annotation(built: Object, citation: parts.UrlCitation, extra: Extra) -> Object:
    """ "sparse": members that the source left out stay out."""
    if "sparse" in extra.wire_forms:
        cited = built["url_citation"]
        for key, value in (("title", citation.title), ("start_index", citation.start), ("end_index", citation.end)):
            if value is None:
                del cited[key]
    return with_extra(built, extra)
