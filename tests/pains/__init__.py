"""What has hurt users of other converters, a module a class of pain, each converted right between chat and anthropic.

The classes are numbered; the tests hold requests, whole answers, streams and error bodies, in both directions where
both exist.

Left out, as they concern nothing that is converted here yet:

    07  namespaces, tool search of Responses    Responses only
    08  Gemini's thought signatures             Gemini only
    11  schema keywords that Gemini refuses     Gemini only; chat and anthropic take a schema as it is
    16  encrypted reasoning of Responses        Responses only
    17  cache points of Bedrock                 Bedrock; cache markers of chat and anthropic are here
"""
