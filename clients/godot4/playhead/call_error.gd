# What a function that is served returns if it can't do what it was called for.
extends RefCounted

var message := ""
var is_callers := false  # the caller is to blame, whose argument makes no sense


func _init(text: String, refused: bool) -> void:
	message = text if text != "" else "it failed"
	is_callers = refused
