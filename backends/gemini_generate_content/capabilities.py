"""What only some servers of generateContent accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what the newest models of the Gemini API accept.
"""

CAPABILITIES = {
    "call_ids": True,  # ids of function calls and responses
    "display_names": False,  # names of files: Vertex AI
    "dummy_signatures": True,  # a placeholder where Gemini 3 demands a signature, on calls of other models
    "effort": True,  # `thinkingLevel`; off: the thinking budget that comes nearest
    "excluded_domains": False,  # `excludeDomains` of Google search: Vertex AI
    "json_schemas": True,  # `parametersJsonSchema`, `responseJsonSchema`; off: `parameters` and `responseSchema`
    "json_with_tools": True,  # an output format together with tools
    "labels": False,  # metadata of a request: Vertex AI
    "logprobs": False,  # few models have them
    "mcp_servers": True,
    "media_in_results": False,  # `parts` of a function's response: Gemini 3
    "media_resolution": True,  # of a single image
    "media_urls": True,  # URLs of other servers as `fileUri`
    "mixed_tools": True,  # Google's own tools together with functions: Gemini 3 on the Gemini API
    "penalties": False,  # for presence and frequency: models before 2.5
    "prefill": False,  # a last turn of the model's, which the response continues
    "sampling": True,  # temperature, topP and topK
    "service_tiers": True,
    "store": True,
    "thinking_off": False,  # a thinking budget of 0, which models that always think refuse
    "url_context": True,  # the tool that opens pages: from 2.5 on
}

# --- values that every server accepts ---------------------------------------------------------------------------------

MOST_BUDGET, LEAST_BUDGET = 24576, 512  # of thinking, where there is no effort
MOST_LOGPROBS = 20
TOOL_NAME = r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}"
MOST_STOPS = 5
PDF = "application/pdf"
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
MEDIA_TYPE = {"image/jpg": "image/jpeg"}  # by other names that are widespread (SRC-4)
IMAGE_FILES = {
    **{name: f"image/{name}" for name in ("png", "webp", "heic", "heif", "gif")},
    **dict.fromkeys(("jpg", "jpeg"), "image/jpeg"),
}
VIDEO_FILES = {
    **{name: f"video/{name}" for name in ("mp4", "mpeg", "mpg", "webm", "avi", "wmv")},
    "flv": "video/x-flv",
    "mov": "video/quicktime",
    "3gp": "video/3gpp",
}
DOCUMENT_FILES = {
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "csv": "text/csv",
    "xml": "text/xml",
    "json": "application/json",
}
"""Media types by the end of a file's name (SRC-5)."""
VOICES = frozenset(
    """
    Achernar Achird Algenib Algieba Alnilam Aoede Autonoe Callirrhoe Charon Despina Enceladus Erinome Fenrir Gacrux
    Iapetus Kore Laomedeia Leda Orus Puck Pulcherrima Rasalgethi Sadachbia Sadaltager Schedar Sulafat Umbriel
    Vindemiatrix Zephyr Zubenelgenubi
    """.split()
)
