"""What has hurt users of other converters: one module for each class of pain, about payloads of every kind.

What an example of the specification shows is not repeated here. Classes 08 (Gemini's thought signatures) and 11
(schema keywords that Gemini refuses) concern a protocol that is not converted yet.
"""
