"""playhead: an in-game recorder and scrubbing debugger.

game → handlers → recorder → native ring → playback → game (restored)

The repository root is this package; import from the defining module, for example
`from playhead.session import Session`.
"""
