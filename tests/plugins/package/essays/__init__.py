"""Plug-ins for essays: a protocol, measures, a judge, formats, a track and more."""
