# A figure of eleven bones that walks in a circle; the walk is calculated, not an animation.
extends Spatial

const BONES := [
	["hips", "", Vector3(0, 1, 0)],
	["spine", "hips", Vector3(0, 0.3, 0)],
	["head", "spine", Vector3(0, 0.5, 0)],
	["arm.l", "spine", Vector3(0.25, 0.4, 0)],
	["hand.l", "arm.l", Vector3(0, -0.5, 0)],
	["arm.r", "spine", Vector3(-0.25, 0.4, 0)],
	["hand.r", "arm.r", Vector3(0, -0.5, 0)],
	["leg.l", "hips", Vector3(0.15, 0, 0)],
	["foot.l", "leg.l", Vector3(0, -0.9, 0)],
	["leg.r", "hips", Vector3(-0.15, 0, 0)],
	["foot.r", "leg.r", Vector3(0, -0.9, 0)],
]
const RADIUS := 2.0
const SPEED := 1.5

var stride := 0.0
var _middle := Vector3.ZERO

onready var skeleton: Skeleton = $Skeleton


func _ready() -> void:
	_middle = translation
	for i in BONES.size():
		skeleton.add_bone(BONES[i][0])
		if BONES[i][1] != "":
			skeleton.set_bone_parent(i, skeleton.find_bone(BONES[i][1]))
		skeleton.set_bone_rest(i, Transform(Basis(), BONES[i][2]))


func _physics_process(delta: float) -> void:
	stride += delta * SPEED
	var angle := stride / RADIUS
	translation = _middle + Vector3(cos(angle), 0, sin(angle)) * RADIUS
	rotation.y = -angle
	var swing := sin(stride * 4.0) * 0.6
	_turn("leg.l", swing)
	_turn("leg.r", -swing)
	_turn("arm.l", -swing)
	_turn("arm.r", swing)
	_turn("foot.l", max(0.0, -swing))
	_turn("foot.r", max(0.0, swing))


func _turn(bone: String, angle: float) -> void:
	var pose := Transform(Basis(Vector3.RIGHT, angle), Vector3.ZERO)
	skeleton.set_bone_pose(skeleton.find_bone(bone), pose)
