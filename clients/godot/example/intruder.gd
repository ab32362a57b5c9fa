# Somebody who walks through the yard, in and out of sight; or where the stick of a pad points that
# a tool holds, and faster with A.
extends KinematicBody

const WAY := [
	Vector3(6, 1, -6), Vector3(8, 1, 2), Vector3(18, 1, 2), Vector3(18, 1, -17), Vector3(6, 1, -17)
]

var goal := 1
var speed := 4.5


func _physics_process(_delta: float) -> void:
	var pad := Playhead.pad()
	if pad.holder != null:
		var pace := speed * 2.0 if pad.holds(Playhead.Pad.A) else speed
		move_and_slide(Vector3(pad.left.x, 0.0, -pad.left.y) * pace, Vector3.UP)
		return
	var way: Vector3 = WAY[goal] - translation
	way.y = 0.0
	if way.length() < 0.3:
		goal = (goal + 1) % WAY.size()
	else:
		move_and_slide(way.normalized() * speed, Vector3.UP)
