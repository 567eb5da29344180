"""What tools print, parsed once: messages, levels, codes, places, stack frames, missing names.

It imports nothing of marrow but `base`, so that every package may use it:

| to learn | ask |
| --- | --- |
| what a command said about an input | `report.report_of(observation, input_text)` |
| where a crashed program failed | `frames.own_frames(frames, input_text)` |
| whether memory was read or written | `frames.access_of(output)` |
| who freed the memory | `frames.freeing_frames(output)` |
| which names a compiler or linker misses | `missing_names.messages(output)` |
| which lines of which files are named | `message_rules.reported_places(output)` |
| how a command ended, in words | `observation.ending(status)` |

How tools write messages and frames is data: `messages.toml` and `frames.toml`. A new form of
message is one entry there, with the tool, an example, and how that is read; a test goes through
them all.
"""
