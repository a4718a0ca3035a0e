"""Plays a generated session through Exchanges, and says what is wrong with the first turn that is."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import proxai_ir
from proxai_ir import Exchange, InMemory, TranslationError
from proxai_ir.exchange.messages import Upstream
from proxai_ir.exchange.provider import Learned
from proxai_ir.ir.parts import Refusal
from proxai_ir.ir.response import Response, StopReason
from proxai_ir.profiles.clouds import CLOUDS
from proxai_ir.profiles.models import maker

from ..samples import READINGS
from ..samples.continuing import Told, after
from ..samples.sample import Json
from ..servers.official import official_refusals
from .answers import BUILDERS, NAMES, REFUSAL, word
from .clients import (
    BEDROCK,
    CHAT,
    COHERE,
    GEMINI,
    HISTORY,
    INTERACTIONS,
    MESSAGES,
    OLLAMA,
    PATHS,
    RESPONSES,
    continuing,
    in_bytes,
    opening,
    summed_up,
)
from .failing import failure
from .judging import Said, foreign, lacks, refused, silent
from .plans import Session, Step, stated

NOW = 1_700_000_000.0
OWN = {
    CHAT: "gpt-5.6-luna",
    RESPONSES: "gpt-5.6-sol",
    MESSAGES: "claude-opus-5-5",
    GEMINI: "gemini-3.8-flash",
    BEDROCK: "us.anthropic.claude-opus-4-6-v1",
    INTERACTIONS: "gemini-3.8-flash",
}
"""The model that a client would ask of its own vendor."""
JSON_TYPE = "application/json"


class Wrong(AssertionError):
    """A failure of a session, of a kind that tells it from others."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


class Refused(Exception):
    """A turn is refused by name: it is not played, and the session goes on."""


TOLD = {"STS-3", "REF-7", "REF-6", "REF-4"}
"""The rules that name an ending, or a refusal, which a protocol cannot say."""
NAMED = {"TUL-67": "models that take no tools"}
"""By rule: why a request is rightly refused."""


class State(NamedTuple):
    """The state of a session: the client's whole request, what was said in it, and the response before it."""

    asked: Json
    said: tuple[Said, ...]
    earlier: int
    name: str | None


class Player:
    def __init__(self, session: Session) -> None:
        self.session, self.client = session, session.client
        self._first = opening(session.client, session.settings, session.stateful)
        self._memory, self._learned = InMemory(), Learned()
        said = (Said("system", word("i", 0), 0), Said("user", word("u", 0), 0))
        self.states = [State(self._first, said, 0, None)]
        self._kept: dict[tuple[str, str], list[Any]] = {}

    def play(self, step: Step) -> None:
        """Play a turn. Raises Wrong."""
        state = self._begun(step)
        exchange, sent = self._sent(step, state)
        if step.fails:
            self._fail(step, state, exchange, sent)
            exchange, sent = self._sent(step, state)
        self.states.append(self._answered(step, state, self._response(step, exchange, sent)))

    def _begun(self, step: Step) -> State:
        state = self.states[-1]
        number = step.answer.number
        if step.before == "returned":
            return self.states[max(0, len(self.states) - 1 - step.back)]
        if step.before == "summed up":
            told = word("u", number, 9)
            made = summed_up(self.client, state.asked, f"So far {told}.")
            return State(made, (state.said[0], Said("user", told, number)), 0, None)
        return state._replace(name=None, earlier=0) if step.before == "forgotten" else state

    # --- the request ---

    def _exchange(self, step: Step, **more: Any) -> Exchange:
        place = step.place
        row = next((one for one in CLOUDS if one.name == place.cloud and place.protocol in one.paths), None)
        return Exchange(
            self.client,
            place.protocol,
            model=place.model,
            server=place.server,
            cloud=stated(row) if row else None,
            key="key",
            memory=self._memory,
            learned=self._learned,
            now=NOW,
            place=step.place.name,
            response_id=f"proxy_{step.answer.number}",
            **more,
        )

    def _sent(self, step: Step, state: State) -> tuple[Exchange, Upstream]:
        asked = self._asked(state)
        exchange = self._exchange(step)
        try:
            body = in_bytes(self.client, asked, step.streamed)
            sent = exchange.request(body, path=PATHS[self.client][step.streamed])
        except TranslationError as error:
            if {one.rule for one in error.diagnostics} <= NAMED.keys():
                raise Refused from error
            raise Wrong("not converted", str(error)) from error
        self._check(step, state, asked, sent)
        return exchange, sent

    def _asked(self, state: State) -> Json:
        if not self.session.stateful:
            return state.asked
        return continuing(self.client, state.asked, state.earlier, state.name)

    def _check(self, step: Step, state: State, asked: Json, sent: Upstream) -> None:
        body = json.loads(sent.body)
        payload = self._with_history(step, body)
        relayed = payload is not body  # what the provider keeps lacks the thoughts that were named when it got them
        said = [one for one in state.said if not (relayed and one.speaker == "thought")]
        place = step.place
        own: set[str] = set()
        if self.client == place.protocol:
            member = HISTORY[self.client]
            asked = {**asked, member: state.asked[member], **({"model": place.model} if "model" in asked else {})}
            own = {_kind(one) for one in refused(place, asked, sent.headers)}
        found = [one for one in refused(place, payload, sent.headers) if _kind(one) not in own]
        if found:
            raise Wrong("refused", "; ".join(found))
        if sent.stream != step.streamed:
            raise Wrong("stream", f"asked for {step.streamed}, sent {sent.stream}")
        wrong = [*lacks(payload, place, said, state.asked, sent.diagnostics)]
        wrong += foreign(sent.body.decode(), self.client, place, [*state.said])
        if not self.session.stateful:
            wrong += silent(payload, asked, sent.diagnostics)
        if wrong:
            raise Wrong("lacks", "\n      ".join([*wrong, *map(str, sent.diagnostics)]))

    def _with_history(self, step: Step, payload: Json) -> Json:
        """Return the whole conversation, of which a provider of the client's own protocol keeps what came before."""
        named = payload.get("previous_response_id") or payload.get("previous_interaction_id")
        named = named or (payload.get("thread") or {}).get("previous_message_id")
        if named is None:
            return payload
        known = self._kept.get((step.place.name, named))
        if known is None:
            raise Wrong("unknown reference", f"{named} at {step.place.name}")
        member = HISTORY[self.client]
        return {**payload, member: [*known, *payload[member]]}

    # --- the response ---

    def _fail(self, step: Step, state: State, exchange: Exchange, sent: Upstream) -> None:
        status, body, lost = failure(step.fails, step.place.protocol, json.loads(sent.body))
        if step.fails == "cut off":
            made = self._encoded(step, exchange)
            self._broken(step, exchange, made[: len(made) // 2])
            return
        if status is None:
            return
        if step.fails == "setting":
            again = exchange.retry(status, {"content-type": JSON_TYPE}, body)
            if again is not None:
                self._check(step, state, self._asked(state), again)
                if lost and _has(json.loads(again.body), lost):
                    raise Wrong("retry", f"{lost} is sent again")
            elif self.client != step.place.protocol:
                raise Wrong("retry", f"none for {body.decode()}")
            return
        reply = exchange.response(status, {"content-type": JSON_TYPE}, body)
        if reply.status < 400:
            raise Wrong("error", f"{step.fails} is status {reply.status}")
        READINGS[self.client].message(json.loads(reply.body))

    def _encoded(self, step: Step, exchange: Exchange) -> bytes:
        made = BUILDERS[step.place.protocol](step.answer, step.streamed)
        if not step.streamed:
            return json.dumps(made).encode()
        framing = exchange.framings[0]
        return b"".join(framing.encode(event, step.place.protocol) for event in made)

    def _broken(self, step: Step, exchange: Exchange, data: bytes) -> None:
        if not step.streamed:
            status = exchange.response(200, {"content-type": JSON_TYPE}, data).status
            if status < 500:
                raise Wrong("cut off", f"half a response is status {status}")
            return
        stream = exchange.stream(200, {"content-type": exchange.framings[0].content_type})
        events = [*exchange.framings[1].decode([stream.feed(data) + stream.end()])]
        if stream.error is None and stream.failure is None:
            raise Wrong("cut off", f"half a stream is whole: {events}")
        if READINGS[self.client].is_complete(events) and "error" not in READINGS[self.client].outcomes(events):
            raise Wrong("cut off", f"the client does not see that its stream is cut off: {events}")

    def _response(self, step: Step, exchange: Exchange, sent: Upstream) -> Json:
        """Return the response as the client has it, whole."""
        if step.moved:
            exchange = self._exchange(step, state=json.loads(json.dumps(exchange.state)))
        data = self._encoded(step, exchange)
        reading = READINGS[self.client]
        if step.streamed:
            stream = exchange.stream(200, {"content-type": exchange.framings[0].content_type})
            came = b"".join(stream.feed(data[at : at + 50]) for at in range(0, len(data), 50)) + stream.end()
            if stream.error or stream.failure:
                raise Wrong("response", f"{stream.error or stream.failure}")
            events = [*exchange.framings[1].decode([came])]
            if not reading.is_complete(events):
                raise Wrong("response", f"the stream has no end: {events[-2:]}")
            whole, named = reading.whole(events), stream.diagnostics
        else:
            reply = exchange.response(200, {"content-type": JSON_TYPE}, data)
            whole, named = json.loads(reply.body), reply.diagnostics
            if reply.status != 200:
                raise Wrong("response", f"{reply.status} {whole}")
        self._judge(step, whole, {one.rule for one in named})
        self._keep(step, json.loads(sent.body))
        return whole

    def _judge(self, step: Step, whole: Json, named: set[str]) -> None:
        try:
            READINGS[self.client].summary(whole)
            read = proxai_ir.lower(whole, self.client, kind="response")
            provider = step.place.protocol
            given = proxai_ir.lower(BUILDERS[provider](step.answer, False), provider, kind="response")
        except Exception as error:
            raise Wrong("unreadable response", f"{error!r}: {whole}") from error
        assert isinstance(read, Response)
        assert isinstance(given, Response)
        ends = [one.candidates[0].terminal.reason for one in (given, read)]
        in_content = ends[0] is StopReason.REFUSAL and any(type(one) is Refusal for one in read.candidates[0].parts)
        if (
            ends[0] != ends[1] and not in_content and not named & TOLD
        ):  # where content says it, it is no ending (REF-12)
            raise Wrong("ending", f"{ends[0]} became {ends[1]}, {named}")
        spent = [(one.usage.all_input, one.usage.all_output) if one.usage else None for one in (given, read)]
        if spent[0] != spent[1]:
            raise Wrong("usage", f"{spent[0]} became {spent[1]}")

    def _keep(self, step: Step, payload: Json) -> None:
        """Keep what the provider was asked and answered, if it is one that does."""
        if self.session.stateful and step.place.protocol == self.client:
            member = HISTORY[self.client]
            history = self._with_history(step, payload)[member]
            whole = BUILDERS[step.place.protocol](step.answer, False)
            message = [{"role": "assistant", "content": whole.get("content")}]
            output = whole.get("output") or whole.get("steps") or message
            self._kept[step.place.name, whole["id"]] = [*history, *output]

    # --- what comes of it ---

    def _answered(self, step: Step, state: State, whole: Json) -> State:
        answer, client = step.answer, self.client
        number = answer.number
        called = [word("c", number, at) for at in range(answer.calls)]
        told = [word("r", number, at) for at in range(answer.calls)]
        words = word("u", number)
        made = after(client, state.asked, whole, Told((f"Result {one}." for one in told), f"Go on with {words}."))
        said = [*state.said]
        thought = Said("thought", word("t", number), number, step.place.protocol, maker(step.place.model))
        said += [thought] if answer.thought else []
        speaker = "refusal" if answer.ending == REFUSAL else "assistant"
        said += [Said(speaker, word("a", number), number)] if answer.text else []
        said += [Said("call", one, number, name=NAMES[at % 2]) for at, one in enumerate(called)]
        said += [Said("result", one, number, of=called[at]) for at, one in enumerate(told)]
        said += [] if called else [Said("user", words, number)]
        own = Exchange(client, client, model=OWN.get(client), now=NOW)
        sent = own.request(in_bytes(client, made, False), path=PATHS[client][0])
        before = {_kind(one) for one in official_refusals(client, self._first, {})}
        found = [
            one for one in official_refusals(client, json.loads(sent.body), sent.headers) if _kind(one) not in before
        ]
        if found:
            raise Wrong("refused by its own server", f"{found} of {json.dumps(whole)}")
        listed = HISTORY[client]
        new = len(called) or 1
        if client not in (CHAT, RESPONSES, INTERACTIONS, COHERE, OLLAMA):
            new = 1
        name = whole.get("id") if self.session.stateful else None
        return State(made, tuple(said), len(made[listed]) - new, name)


def _kind(finding: str) -> str:
    return finding.partition(":")[0]


def _has(payload: Json, path: str) -> bool:
    for name in path.split("/"):
        if not isinstance(payload, dict) or name not in payload:
            return False
        payload = payload[name]
    return True


def played(session: Session) -> tuple[int, Wrong] | None:
    """Return the first turn that is wrong, by its place in the session, with what is wrong; None if nothing is."""
    player = Player(session)
    for at, step in enumerate(session.steps):
        try:
            player.play(step)
        except Refused:
            continue
        except Wrong as wrong:
            return at, wrong
        except Exception as error:
            frame = error.__traceback__
            while frame and frame.tb_next:
                frame = frame.tb_next
            where = f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame else ""
            return at, Wrong("raised", f"{error!r} at {where}")
    return None


def smallest(session: Session) -> Session:
    """Return as few turns of a session as lead to the same kind of failure, in their order."""
    found = played(session)
    if found is None:
        return session
    at, wrong = found
    steps = session.steps[: at + 1]
    index = 0
    while index < len(steps) - 1:
        fewer = steps[:index] + steps[index + 1 :]
        again = played(session._replace(steps=fewer))
        if again is not None and again[1].kind == wrong.kind and again[0] == len(fewer) - 1:
            steps = fewer
        else:
            index += 1
    return session._replace(steps=steps)
