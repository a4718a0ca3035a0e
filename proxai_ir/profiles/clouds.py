"""The table of clouds: where each serves a protocol, and how its requests differ from those to the protocol's vendor.

One row for a cloud and the protocols that it serves alike: a place, how its requests are authenticated, and what moves
between path, headers and body. Rule: data alone; `exchange.clouds` reads them, and nothing else depends on a cloud's
name. What a cloud's models take is no fact of this table but of `for_model`, by the `server` of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from attrs import evolve, field

from ..framing import AWS_CHUNKS, Framing
from ..json.classes import frozen
from ..protocol.signing import SIGNED_BY, Headers, Signer, aws, aws_region
from .facts import CHAT, CONVERSE, GEMINI, MESSAGES, RESPONSES

# --- signing ----------------------------------------------------------------------------------------------------------
# Requests to Google's clouds without a key: with a token of this machine's, by google-auth.


SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def google() -> Signer:
    """Return a token of Application Default Credentials, which is had again when it has run out."""
    return Signer(
        lambda: import_module("google.auth").default(scopes=[SCOPE])[0], _with_token, ("google.auth", "vertex")
    )


def _with_token(credentials: Any, *_: Any) -> Headers:
    if not credentials.valid:
        credentials.refresh(import_module("google.auth.transport.requests").Request())
    project = getattr(credentials, "quota_project_id", None)
    return {"authorization": f"Bearer {credentials.token}", **({"x-goog-user-project": project} if project else {})}


# --- clouds -----------------------------------------------------------------------------------------------------------


LOOKED = "2026-11-28"
Values = Mapping[str, str]
"""What a place is made of, such as a region, by name."""


@frozen(kw_only=True)
class Auth:
    """One of the ways to authenticate requests.

    header, scheme  where a key is sent, and what stands before it
    keys            the variables of the environment that it is usually in, the first that is set
    signer          makes what signs requests without a key; None: a key is needed
    signed_by       the pattern that finds, in the header of a signed request, the name of the key that signed it
    chosen_by       a value that is only stated by who wants this way
    """

    header: str = "authorization"
    scheme: str = "Bearer "
    keys: tuple[str, ...] = ()
    signer: Callable[[Values], Signer] | None = None
    signed_by: str = ""
    chosen_by: str = ""


@frozen(kw_only=True)
class Cloud:
    """A row.

    paths     by protocol the path of a request, in which {model} is the model's name and other names are values;
              None: the protocol's own path, below `below`
    streamed  the path of a request for a stream, where it is another one
    host      the URL before the path; `hosts`: another one by the value of `region`
    urls      variables that may have the URL in place of it
    values    the variables that each value is usually in; `usual`: values that need not be stated; `found`: what looks
              for others on this machine. Those that neither path, host nor signature has are optional
    auth      the ways to authenticate by name, the usual one first
    headers   more headers of a request, each where its values are known
    drops     members of the protocol's body that the cloud's lacks
    adds      members that it has in addition
    moved     headers of the protocol that are members of the body: a list of what commas separate, if in `lists`
    words     the cloud's names of values that are moved
    counted   the path of requests to count tokens, whose bodies name the model; None with a path of the cloud's own: it
              counts as the protocol does where `counts` has the members of a request that count, or else not at all
    counts_betas  whether requests to count may list betas, and have what needs one
    unversioned  the end of a model's name that says that no version is named, where requests to count do not take it
    framing   of streams, where it is not the protocol's
    errors    the protocol whose form errors have, where it is not the one that is served; its clients do not know it
    server    its name in facts of models that depend on the server
    telemetry its name in OpenTelemetry's conventions
    """

    name: str
    paths: Mapping[str, str | None]
    streamed: str | None = None
    below: str = ""
    host: str
    hosts: Mapping[str, str] = field(factory=dict)
    urls: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(factory=dict)
    usual: Values = field(factory=dict)
    found: Mapping[str, Callable[[Values], str]] = field(factory=dict)
    auth: Mapping[str, Auth]
    headers: Mapping[str, str] = field(factory=dict)
    drops: tuple[str, ...] = ()
    adds: Mapping[str, str] = field(factory=dict)
    moved: Mapping[str, str] = field(factory=dict)
    lists: tuple[str, ...] = ()
    words: Mapping[str, str] = field(factory=dict)
    counted: str | None = None
    counts: tuple[str, ...] = ()
    counts_betas: bool = True
    unversioned: str = ""
    framing: Framing | None = None
    errors: str | None = None
    server: str
    telemetry: str
    source: str = ""
    looked: str = LOOKED


BOTH: Mapping[str, str | None] = {CHAT: None, RESPONSES: None}
AWS_TOKEN = Auth(keys=("AWS_BEARER_TOKEN_BEDROCK",))
AWS_VALUES = {"region": ("AWS_REGION", "AWS_DEFAULT_REGION"), "profile": ()}
AWS_FOUND = {"region": lambda values: aws_region(values.get("profile"))}


def _aws(service: str) -> Mapping[str, Auth]:
    """Return a bearer token, or a signature for this service, with the profile that is stated or AWS's usual
    credentials."""

    def signer(values: Values) -> Signer:
        return aws(service, region=values["region"], profile=values.get("profile"))

    return {"bearer": AWS_TOKEN, "sigv4": Auth(signer=signer, signed_by=SIGNED_BY, chosen_by="profile")}


AZURE_KEY, ENTRA = Auth(header="api-key", scheme="", keys=("AZURE_OPENAI_API_KEY",)), ("AZURE_OPENAI_AD_TOKEN",)
GOOGLE_AUTH = {"adc": Auth(signer=lambda _: google()), "bearer": Auth()}
GLOBAL = "https://aiplatform.googleapis.com"
VERTEX_HOSTS = {"global": GLOBAL} | {one: f"https://aiplatform.{one}.rep.googleapis.com" for one in ("us", "eu")}
PROJECT = "/v1/projects/{project}/locations/{region}"
CLAUDE = f"{PROJECT}/publishers/anthropic/models/"
GOOGLE_MODELS = "/v1beta1/{}publishers/google/models/{{model}}:{}"
COUNTED_BY_VERTEX = ("contents", "systemInstruction", "tools", "generationConfig")
IN_PROJECT = "projects/{project}/locations/{region}/"

# --- what the rows of one vendor share --------------------------------------------------------------------------------

AZURE = Cloud(
    name="azure",
    paths=BOTH,
    below="/openai",
    host="https://{resource}.openai.azure.com",
    urls=("AZURE_OPENAI_ENDPOINT",),
    values={"resource": ()},
    auth={"key": AZURE_KEY, "bearer": Auth(keys=ENTRA)},
    server="azure",
    telemetry="azure.ai.openai",
)
AWS = Cloud(
    name="bedrock",
    paths=BOTH,
    below="/openai",
    host="https://bedrock-runtime.{region}.amazonaws.com",
    urls=("AWS_BEDROCK_BASE_URL",),
    values=AWS_VALUES,
    found=AWS_FOUND,
    auth=_aws("bedrock"),
    server="bedrock",
    telemetry="aws.bedrock",
)
MANTLE = evolve(AWS, name="bedrock_mantle", host="https://bedrock-mantle.{region}.api.aws", auth=_aws("bedrock-mantle"))
VERTEX = Cloud(
    name="vertex",
    paths={},
    host="https://{region}-aiplatform.googleapis.com",
    hosts=VERTEX_HOSTS,
    values={"project": ("GOOGLE_CLOUD_PROJECT",), "region": ("GOOGLE_CLOUD_LOCATION",)},
    auth=GOOGLE_AUTH,
    server="vertex",
    telemetry="gcp.vertex_ai",
)
VERTEX_GEMINI = evolve(VERTEX, counts=COUNTED_BY_VERTEX)

CLOUDS = (
    # --- Azure --------------------------------------------------------------------------------------------------------
    evolve(
        AZURE,
        source="https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle; openai 3.52.0, `lib.azure`",
    ),
    evolve(
        AZURE,
        name="azure_deployments",
        paths={
            CHAT: "/deployments/{model}/chat/completions?api-version={api_version}",
            RESPONSES: "/responses?api-version={api_version}",
        },
        values={"resource": (), "api_version": ("OPENAI_API_VERSION",)},
        source="openai 3.52.0, `AzureOpenAI`",
    ),
    evolve(
        AZURE,
        paths={MESSAGES: None},
        below="/anthropic",
        host="https://{resource}.services.ai.azure.com",
        urls=("ANTHROPIC_FOUNDRY_BASE_URL",),
        values={"resource": ("ANTHROPIC_FOUNDRY_RESOURCE",)},
        auth={
            "key": Auth(header="x-api-key", scheme="", keys=("ANTHROPIC_FOUNDRY_API_KEY",)),
            "bearer": Auth(keys=ENTRA),
        },
        telemetry="azure.ai.inference",
        source="anthropic 2.11.0, `AnthropicFoundry`",
    ),
    # --- AWS ----------------------------------------------------------------------------------------------------------
    evolve(
        AWS,
        paths={MESSAGES: "/model/{model}/invoke"},
        streamed="/model/{model}/invoke-with-response-stream",
        below="",
        urls=("ANTHROPIC_BEDROCK_BASE_URL",),
        drops=("model", "stream"),
        adds={"anthropic_version": "bedrock-2023-05-31"},
        moved={"anthropic-version": "anthropic_version", "anthropic-beta": "anthropic_beta"},
        lists=("anthropic_beta",),
        # The official client sends a later version under its own name, which some models refuse there: "Invalid API
        # version" (anthropics/anthropic-sdk-python#2031).
        words={"2023-06-01": "bedrock-2023-05-31", "2026-10-21": "bedrock-2023-05-31"},
        framing=AWS_CHUNKS,
        errors=CONVERSE,
        source="anthropic 2.11.0, `AnthropicBedrock`; https://docs.aws.amazon.com/bedrock/latest/userguide/"
        "model-parameters-anthropic-claude-messages-request-response.html",
    ),
    evolve(
        AWS,
        source='openai 3.52.0, `providers.bedrock` with the endpoint "runtime"; '
        "https://docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html",
    ),
    evolve(MANTLE, source='openai 3.52.0, `providers.bedrock` with the endpoint "mantle"'),
    evolve(
        MANTLE,
        paths={MESSAGES: None},
        below="/anthropic",
        urls=("ANTHROPIC_BEDROCK_MANTLE_BASE_URL",),
        source="anthropic 2.11.0, `AnthropicBedrockMantle`",
    ),
    # --- Google -------------------------------------------------------------------------------------------------------
    evolve(
        VERTEX,
        paths={MESSAGES: CLAUDE + "{model}:rawPredict"},
        streamed=CLAUDE + "{model}:streamRawPredict",
        urls=("ANTHROPIC_VERTEX_BASE_URL",),
        values={
            "project": ("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"),
            "region": ("CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"),
        },
        drops=("model",),
        adds={"anthropic_version": "vertex-2023-10-16"},
        moved={"anthropic-version": "anthropic_version"},
        words={"2023-06-01": "vertex-2023-10-16"},
        counted=CLAUDE + "count-tokens:rawPredict",
        counts_betas=False,
        unversioned="@default",
        source="anthropic 2.11.0, `AnthropicVertex`; https://docs.anthropic.com/en/api/claude-on-vertex-ai; of counts: "
        "Unexpected value(s) `tool-search-tool-2025-10-19`, `web-search-2025-03-05` for the `anthropic-beta` "
        "header, for models that take them (https://github.com/BerriAI/litellm/pull/39597), and "
        "claude-sonnet-4-6@default is not supported for token counting (https://github.com/BerriAI/litellm/issues/25798)",
        looked="2026-11-29",
    ),
    evolve(
        VERTEX_GEMINI,
        paths={GEMINI: GOOGLE_MODELS.format(IN_PROJECT, "generateContent")},
        streamed=GOOGLE_MODELS.format(IN_PROJECT, "streamGenerateContent?alt=sse"),
        urls=("GOOGLE_VERTEX_BASE_URL",),
        usual={"region": "global"},
        source="google-genai 3.4.0, `BaseApiClient`, `t_model`, `_CountTokensParameters_to_vertex`",
    ),
    evolve(
        VERTEX_GEMINI,
        name="vertex_express",
        paths={GEMINI: GOOGLE_MODELS.format("", "generateContent")},
        streamed=GOOGLE_MODELS.format("", "streamGenerateContent?alt=sse"),
        host=GLOBAL,
        hosts={},
        values={},
        auth={"key": Auth(header="x-goog-api-key", scheme="", keys=("GOOGLE_API_KEY",))},
        source="google-genai 3.4.0, `BaseApiClient` with an API key",
    ),
    evolve(
        VERTEX,
        paths={RESPONSES: f"{PROJECT}/publishers/openai/v1/responses"},
        hosts={"global": GLOBAL},
        source="openai 3.52.0, `providers.vertex`",
    ),
    # --- vendors and routers that speak the protocols of others -------------------------------------------------------
    Cloud(
        name="mistral",
        paths={CHAT: None},
        host="https://api.mistral.ai",
        auth={"key": Auth(keys=("MISTRAL_API_KEY",))},
        server="mistral",
        telemetry="mistral_ai",
        source="mistralai 3.7.0, `ChatCompletionRequest`; https://docs.mistral.ai/api",
    ),
    Cloud(
        name="openrouter",
        paths={CHAT: None, RESPONSES: None, MESSAGES: None},
        below="/api",
        host="https://openrouter.ai",
        values={"referer": (), "title": ()},
        auth={"key": Auth(keys=("OPENROUTER_API_KEY",))},
        headers={"http-referer": "{referer}", "x-title": "{title}"},
        server="openrouter",
        telemetry="openrouter",
        source="https://openrouter.ai/docs/quickstart; https://openrouter.ai/docs/app-attribution",
    ),
)
"""One row for each name and protocol."""
