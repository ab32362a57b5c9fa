# Lets a test look into a Godot game from outside, also while it stands: an autoload.
# With --probe=PORT it is asked there in lines, and answers each with a line of JSON: `where` all
# nodes are, `move PATH X Y Z`, `picture WIDTH`, `quit`. Tools call it as `probe`. With --steps=N it prints a hash of the world after each
# step, and quits after N of them.
extends Node

const PLAIN := [TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_REAL, TYPE_STRING, TYPE_VECTOR2, TYPE_VECTOR3]

var _server := TCP_Server.new()
var _peers := []
var _steps := 0
var _limit := 0


func _ready() -> void:
	pause_mode = PAUSE_MODE_PROCESS
	process_priority = 1000
	add_to_group("playhead_awake")
	add_to_group("playhead_ignore")
	Playhead.serve("probe", self, "_called")
	for given in OS.get_cmdline_args():
		if given.begins_with("--probe="):
			_server.listen(int(given.substr(8, given.length())), "127.0.0.1")
		elif given.begins_with("--steps="):
			_limit = int(given.substr(8, given.length()))


func _physics_process(_delta: float) -> void:
	if Playhead.is_standing():
		return
	_steps += 1
	if _limit > 0:
		print("STEP %d %s" % [_steps, str(Array(var2bytes(_world()))).md5_text()])
		if _steps == _limit:
			get_tree().quit()


func _process(_delta: float) -> void:
	while _server.is_connection_available():
		_peers.append(_server.take_connection())
	for peer in _peers:
		if peer.get_status() == StreamPeerTCP.STATUS_CONNECTED and peer.get_available_bytes() > 0:
			var said: String = peer.get_utf8_string(peer.get_available_bytes())
			var words: PoolStringArray = said.strip_edges().split(" ")
			if words[0] == "quit":
				get_tree().quit()
			elif words[0] == "move":
				var to := Vector3(float(words[2]), float(words[3]), float(words[4]))
				get_node("/root/" + words[1]).translation = to
			elif words[0] == "picture":
				var image := Image.new()
				image.create(64, 32, false, Image.FORMAT_RGBA8)
				image.fill(Color(0.2, 0.4, 0.6))
				Playhead.picture(image, int(words[1]), "probe")
			peer.put_data((to_json(_where()) + "\n").to_utf8())


# What a tool calls: its argument comes back, but for some.
func _called(argument):
	match argument:
		"refuse":
			return Playhead.refusal("it was told to")
		"fail":
			return Playhead.failure("it can't help it")
		"yield":
			yield(get_tree(), "idle_frame")
	return argument


func _nodes() -> Array:
	var found := []
	var stack := [get_tree().root]
	while not stack.empty():
		var node: Node = stack.pop_back()
		if node == self or node == Playhead:
			continue
		found.append(node)
		for child in node.get_children():
			stack.append(child)
	return found


# Everything that makes one world different from another.
func _world() -> Array:
	var world := [get_tree().paused, get_viewport().canvas_transform]
	for node in _nodes():
		world.append(str(node.get_path()))
		if node is Spatial or node is Node2D:
			world += [node.transform, node.visible, node.rotation]
		if node is RigidBody or node is RigidBody2D:
			world += [node.linear_velocity, node.angular_velocity, node.sleeping]
		if node is Skeleton:
			for i in node.get_bone_count():
				world += [node.get_bone_pose(i), node.get_bone_global_pose(i)]
		if node.get_script() != null:
			for property in node.get_property_list():
				var name: String = property["name"]
				if not property["usage"] & PROPERTY_USAGE_SCRIPT_VARIABLE:
					continue
				# A getter might change the world by being asked.
				if not node.has_method("get_" + name) and typeof(node.get(name)) in PLAIN:
					world.append(node.get(name))
	return world


func _where() -> Dictionary:
	var nodes := {}
	for node in _nodes():
		if not (node is Spatial or node is Node2D):
			continue
		var row := {
			"visible": node.visible, "local": Marshalls.variant_to_base64(node.transform),
			"global": Marshalls.variant_to_base64(node.global_transform),
		}
		if node is Skeleton:
			row["bones"] = []
			for i in node.get_bone_count():
				row["bones"].append(Marshalls.variant_to_base64(node.get_bone_global_pose(i)))
		if node.get_script() != null and "state" in node:
			row["state"] = node.state
		nodes[str(node.get_path()).replace("/root/", "")] = row
	var shown := 0
	if Playhead.has_node("Crowd"):
		for stand_in in Playhead.get_node("Crowd").get_children():
			shown += int(stand_in.visible)
	return {
		"steps": _steps, "paused": get_tree().paused, "nodes": nodes, "stand_ins": shown,
		"view": str(get_viewport().canvas_transform),
		"input": not get_tree().root.is_input_disabled(),
		"world": str(Array(var2bytes(_world()))).md5_text(),
	}
