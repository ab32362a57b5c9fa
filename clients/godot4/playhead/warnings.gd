# What is to be told in the log of the game: each once.
extends RefCounted

var _told := {}


func warn(text: String) -> void:
	if not _told.has(text):
		_told[text] = true
		push_warning("playhead: " + text)
