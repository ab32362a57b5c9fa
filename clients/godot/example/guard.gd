# A guard that walks between posts, chases whom it sees, and searches where it lost sight.
extends KinematicBody

const POSTS := [Vector3(-5, 1, 4), Vector3(5, 1, 4), Vector3(5, 1, 0), Vector3(-5, 1, 0)]
const SIGHT := 6.0

var state := "patrol"
var health := 100
var velocity := Vector3.ZERO
var alert := 0.0
var post := 1
var seen_at := Vector3.ZERO
var seen_when := -1.0
var unseen := 0.0

onready var intruder: KinematicBody = get_node("../Intruder")


func _ready() -> void:
	Playhead.serve("guard.heal", self, "_heal")


# What tools call: another health; the result is the one before.
func _heal(argument):
	if not argument is Dictionary or not typeof(argument.get("health")) in [TYPE_REAL, TYPE_INT]:
		return Playhead.refusal("give {\"health\": a number}")
	var before := health
	health = int(argument["health"])
	return before


func _physics_process(delta: float) -> void:
	var distance := translation.distance_to(intruder.translation)
	var sees := _sees(distance)
	if sees:
		seen_at = intruder.translation
		seen_when = Playhead.now()
		unseen = 0.0
	else:
		unseen += delta
	alert = clamp(alert + (delta if sees else -delta * 0.25), 0.0, 1.0)
	_decide(distance, sees)
	match state:
		"patrol":
			if _walk_to(POSTS[post], 2.0):
				post = (post + 1) % POSTS.size()
		"chase":
			if distance > 2.0:
				_walk_to(intruder.translation, 2.0)
		"search":
			_walk_to(seen_at, 2.5)
	Playhead.watch("alert", alert, self)
	Playhead.draw_line(translation, seen_at, Color.yellow, self, "ai")
	Playhead.check(translation.y > -1.0, "the guard is in the yard", self)


func _decide(distance: float, sees: bool) -> void:
	match state:
		"patrol":
			if sees:
				_go_to("chase", "sees the intruder", distance, {"hears": "it makes no noise"})
		"chase":
			if unseen > 0.5:
				_go_to("search", "lost sight", distance, {"caught": "%.1f m away" % distance})
		"search":
			if sees:
				_go_to("chase", "sees the intruder", distance, {"tired": "%.1f s only" % unseen})
			elif unseen > 2.0:
				_go_to("patrol", "tired of searching", distance, {"sees": "nobody in sight"})


func _go_to(next: String, reason: String, distance: float, rejected: Dictionary) -> void:
	var belief := {"object": intruder, "position": seen_at, "seen": seen_when}
	Playhead.trace_state(self, "guard", state, next, reason, {
		"rejected": rejected,
		"values": {"distance": distance, "unseen": unseen, "alert": alert},
		"beliefs": [belief],
	})
	if next == "patrol" or state == "patrol":
		Playhead.phase("calm" if next == "patrol" else "alarm")
	Playhead.event("guard changes its mind", {"from": state, "to": next}, self)
	Playhead.publish("guard", {"state": next, "health": health})
	if next == "chase":
		Playhead.log_line("the guard has seen the intruder", "info", self)
	state = next


func _sees(distance: float) -> bool:
	if distance > SIGHT:
		return false
	var space := get_world().direct_space_state
	var hit := space.intersect_ray(translation, intruder.translation, [self], 1)
	return hit.empty() or hit["collider"] == intruder


func _walk_to(target: Vector3, speed: float) -> bool:
	var way := target - translation
	way.y = 0.0
	if way.length() < 0.2:
		velocity = Vector3.ZERO
		return true
	velocity = way.normalized() * speed
	rotation.y = atan2(-way.x, -way.z)
	velocity = move_and_slide(velocity, Vector3.UP)
	return false
