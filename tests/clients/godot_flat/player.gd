# Runs to and fro, and jumps; its hit points may only be set with all that follows from it.
extends KinematicBody2D

var velocity := Vector2.ZERO
var hp := 3 setget set_hp
var shield := 1.5 setget , get_shield
var mood := "calm"
var turns = 0
var direction := 1.0
onready var _sprite_like: Node2D = $Shape


func set_hp(value: int) -> void:
	hp = value
	Boss.setter_calls += 1


func get_shield() -> float:
	Boss.setter_calls += 1
	return shield


func _physics_process(delta: float) -> void:
	velocity.y += 500.0 * delta
	velocity.x = 80.0 * direction
	velocity = move_and_slide(velocity, Vector2.UP)
	rotation += 0.01
	if is_on_floor() and int(position.x) % 7 == 0:
		velocity.y = -200.0
	if position.x > 380 or position.x < 20:
		direction = -direction
		turns += 1
		hp = 3 + turns  # from inside, without the setter
		var before := mood
		mood = "calm" if mood == "grim" else "grim"
		var values := {"at": position}
		Playhead.trace_state(self, "mood", before, mood, "at the edge", {"values": values})
		Playhead.mark("turn", "\u0001 \"quoted\"\n\v tab\t é", self)
	position.x = clamp(position.x, 20, 380)
	Playhead.watch("vy", velocity.y, self)
	Playhead.draw_line(position, position + velocity, Color.red, self, "script")
