# Goes on to the level by itself.
extends Control


func _ready() -> void:
	yield(get_tree().create_timer(0.5), "timeout")
	get_tree().change_scene("res://level.tscn")
