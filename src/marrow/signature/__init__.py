"""Which failure it is: observations, templates, frames, controls, and the script that asks for it.

Everything here is pure: from what a command printed to what to keep, and from that to a script. The
engine runs commands, the command line asks and tells.
"""
