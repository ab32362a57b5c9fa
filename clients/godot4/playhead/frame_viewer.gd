# Makes the game look like a recorded frame, and gives it back what it was.
extends "packet_format.gd"

const PlayheadType = preload("recorded_type.gd")

var _home: Node
var _warnings
var _ids
var _types
var _own := {}  # instance id -> what the node was before a frame was shown in it
var _own_camera := 0
var _own_canvas = null
var _aim = null
var _crowd: Node = null
var _stand_ins := {}


func _init(home: Node, warnings, ids, types) -> void:
	_home = home
	_warnings = warnings
	_ids = ids
	_types = types


# Turn the camera to an object; again after each frame that is shown.
func look_at(id: int, place: Array) -> void:
	_aim = [id, place]
	_take_aim()


# Hide, unhide and stand in, as an order says.
func show_lists(order: Dictionary) -> void:
	for id in order.get("unhide", []):
		var node = _ids.node_of(int(id))
		if node != null and _own.has(node.get_instance_id()):
			_set_visible(node, _own[node.get_instance_id()]["visible"])
	for id in order.get("hide", []):
		var node = _ids.node_of(int(id))
		if node is Node3D or node is CanvasItem:
			_keep(node)
			_set_visible(node, false)
	for id in order.get("remove_stand_ins", []):
		_remove_stand_in(int(id))
	for row in order.get("stand_ins", []):
		_show_stand_in(row)
	_take_aim()


# Put the packets of a frame into their nodes.
func show_image(bytes: PackedByteArray) -> void:
	if bytes.size() < 96:
		return
	var s := StreamPeerBuffer.new()
	s.data_array = bytes
	s.seek(48)
	var at := s.get_64()
	var by_depth := {}
	while at >= 96 and at + 24 <= bytes.size():
		s.seek(at)
		var next := s.get_u32()
		var count := s.get_u32()
		var stride := s.get_u32()
		var size := s.get_u32()
		s.get_u32()
		var number := s.get_u16()
		if at + 24 + count * stride > bytes.size() or size + 40 > stride:
			_warnings.warn("a frame to be shown is damaged")
			return
		for i in count:
			var packet: int = at + 24 + i * stride
			s.seek(packet)
			var node = _ids.node_of(s.get_64())
			if node != null and node.is_inside_tree() and _types.layouts.has(number):
				# Parents first: the places are those in the world.
				var depth: int = node.get_path().get_name_count()
				if not by_depth.has(depth):
					by_depth[depth] = []
				by_depth[depth].append([node, number, packet + 40, size])
		at = at + next * 8 if next else 0
	var depths := by_depth.keys()
	depths.sort()
	for depth in depths:
		for row in by_depth[depth]:
			_play(s, row[0], row[1], row[2], row[3])
	_take_aim()


func _play(s: StreamPeerBuffer, node: Node, number: int, payload: int, size: int) -> void:
	var kind: PlayheadType = _types.layouts[number][0]
	var fields: Array = _types.layouts[number][1]
	if not (
		(kind.dimension == SOLID) == (node is Node3D)
		and (kind.dimension == FLAT) == (node is Node2D)
		and (kind.dimension == CONTROL) == (node is Control)
	):
		return
	_keep(node)
	s.seek(payload + kind.place_at)
	if kind.dimension == SOLID:
		node.global_transform = _read_transform(s)
	elif kind.dimension == FLAT:
		node.global_transform = Transform2D(_read_vector2(s), _read_vector2(s), _read_vector2(s))
	elif kind.dimension == CONTROL:
		node.global_position = _read_vector2(s)
	if kind.dimension != PLACELESS:
		s.seek(payload + kind.more_at - 1)
		_set_visible(node, s.get_u8() != 0)
	if kind.role == "camera":
		var current := s.get_u8() != 0
		if kind.dimension == SOLID:
			node.fov = rad_to_deg(s.get_float())
			if current and not node.current:
				if _own_camera == 0 and node.get_viewport().get_camera_3d() != null:
					_own_camera = node.get_viewport().get_camera_3d().get_instance_id()
				node.current = true
		elif current:
			_show_canvas(
				node.get_viewport(),
				Transform2D(_read_vector2(s), _read_vector2(s), _read_vector2(s))
			)
	s.seek(payload + kind.fields_at)
	_read_fields(s, node, fields)
	if kind.role == "skeleton":
		s.get_32()
		var bones: int = (payload + size - s.get_position()) / 48
		for i in min(bones, node.get_bone_count()):
			node.set_bone_global_pose_override(i, _read_joint(s), 1.0, true)


func _read_fields(s: StreamPeerBuffer, node: Node, fields: Array) -> void:
	var own: Dictionary = _own[node.get_instance_id()]["fields"]
	for field in fields:
		var value = null
		match field[1]:
			AS_BOOL:
				value = s.get_u8() != 0
			AS_NUMBER:
				value = s.get_double()
			AS_INT:
				value = s.get_64()
			AS_TEXT:
				var bytes: PackedByteArray = s.get_data(TEXT_BYTES)[1]
				value = null if bytes[TEXT_BYTES - 1] else bytes.get_string_from_utf8()
			AS_VECTOR2:
				value = _read_vector2(s)
			AS_VECTOR3:
				value = _read_vector3(s)
			AS_COLOR:
				value = Color(s.get_float(), s.get_float(), s.get_float(), s.get_float())
			AS_QUAT:
				value = Quaternion(s.get_float(), s.get_float(), s.get_float(), s.get_float())
		if not field[2] or value == null:
			continue  # not to be put back, or a text that was cut
		var now = node.get(field[0])
		if field[1] == AS_NUMBER:
			if is_nan(value):
				continue  # it was none
			if typeof(now) == TYPE_INT and value == floor(value):
				value = int(value)
			elif typeof(now) == TYPE_BOOL:
				value = value != 0.0
		if typeof(now) != typeof(value) or now != value:
			if not own.has(field[0]):
				own[field[0]] = now
			node.set(field[0], value)


func _read_vector2(s: StreamPeerBuffer) -> Vector2:
	return Vector2(s.get_float(), s.get_float())


func _read_vector3(s: StreamPeerBuffer) -> Vector3:
	return Vector3(s.get_float(), s.get_float(), s.get_float())


func _read_transform(s: StreamPeerBuffer) -> Transform3D:
	var a := _read_vector3(s)
	var b := _read_vector3(s)
	var c := _read_vector3(s)
	var basis := Basis(Vector3(a.x, b.x, c.x), Vector3(a.y, b.y, c.y), Vector3(a.z, b.z, c.z))
	return Transform3D(basis, _read_vector3(s))


func _read_joint(s: StreamPeerBuffer) -> Transform3D:
	var m := []
	for i in 12:
		m.append(s.get_float())
	var basis := Basis(
		Vector3(m[0], m[4], m[8]), Vector3(m[1], m[5], m[9]), Vector3(m[2], m[6], m[10])
	)
	return Transform3D(basis, Vector3(m[3], m[7], m[11]))


# Without the signal: there may be game code behind it.
func _set_visible(node: Node, visible) -> void:
	if visible == null or node.visible == visible:
		return
	var deaf := node.is_blocking_signals()
	node.set_block_signals(true)
	node.visible = visible
	node.set_block_signals(deaf)


# Remember what a node is like, before the first change.
func _keep(node: Node) -> void:
	var instance := node.get_instance_id()
	if _own.has(instance):
		return
	var own := {"fields": {}, "visible": null}
	if node is Node3D:
		own["visible"] = node.visible
		own["transform"] = node.transform
		own["rotation"] = node.rotation
		own["scale"] = node.scale
	elif node is Node2D:
		own["visible"] = node.visible
		own["transform"] = node.transform
		own["rotation"] = node.rotation
		own["scale"] = node.scale
	elif node is Control:
		own["visible"] = node.visible
		own["position"] = node.position
	if node is Skeleton3D:
		own["overridden"] = _overridden(node)
	if node is Camera3D:
		own["fov"] = node.fov
	_own[instance] = own


# Bones that somebody has posed directly, such as a ragdoll: index -> pose.
func _overridden(skeleton: Skeleton3D) -> Dictionary:
	var found := {}
	for i in skeleton.get_bone_count():
		var pose := skeleton.get_bone_pose(i)  # with its rest in it
		var parent := skeleton.get_bone_parent(i)
		if parent >= 0:
			pose = skeleton.get_bone_global_pose(parent) * pose
		var actual := skeleton.get_bone_global_pose(i)
		if not actual.is_equal_approx(pose):
			found[i] = actual
	return found


# Give every node back what it had.
func put_back() -> void:
	for instance in _own:
		var node = instance_from_id(instance)
		if node == null:
			continue
		var own: Dictionary = _own[instance]
		if own.has("transform"):
			node.transform = own["transform"]
			# Godot keeps angles and scale as they were set: a turn by 725 degrees stays one.
			if _differ(node.rotation, own["rotation"]) or _differ(node.scale, own["scale"]):
				node.rotation = own["rotation"]
				node.scale = own["scale"]
				if _differ(node.transform, own["transform"]):
					node.transform = own["transform"]
		if own.has("position"):
			node.position = own["position"]
		if own.has("fov"):
			node.fov = own["fov"]
		if own.has("overridden"):
			node.clear_bones_global_pose_override()
			for i in own["overridden"]:
				node.set_bone_global_pose_override(i, own["overridden"][i], 1.0, true)
		_set_visible(node, own["visible"])
		for name in own["fields"]:
			node.set(name, own["fields"][name])
	_own.clear()
	var camera = instance_from_id(_own_camera) if _own_camera else null
	if camera != null:
		camera.current = true
	_own_camera = 0
	if _own_canvas != null:
		var viewport = instance_from_id(_own_canvas[0])
		if viewport != null:
			viewport.canvas_transform = _own_canvas[1]
		_own_canvas = null
	_aim = null
	for id in _stand_ins.keys():
		_remove_stand_in(id)


# Also by the sign of a zero.
func _differ(one, other) -> bool:
	return var_to_bytes(one) != var_to_bytes(other)


func _show_canvas(viewport: Viewport, view: Transform2D) -> void:
	if _own_canvas == null:
		_own_canvas = [viewport.get_instance_id(), viewport.canvas_transform]
	if _own_canvas[0] == viewport.get_instance_id():
		viewport.canvas_transform = view


# Turn the camera to where a tool looks; again after each frame that is shown.
func _take_aim() -> void:
	if _aim == null or _aim[0] == 0:
		return
	var node = _ids.node_of(_aim[0])
	if node == null:
		node = _stand_ins.get(_aim[0])
	var target := Vector3(_aim[1][0], _aim[1][1], _aim[1][2])
	var viewport := _home.get_tree().root
	var camera := viewport.get_camera_3d()
	if node is Node3D:
		target = node.global_transform.origin
	elif node is Node2D or camera == null:
		var place := Vector2(target.x, target.y)
		if node is Node2D:
			place = node.global_position
		var view := viewport.canvas_transform
		view.origin = viewport.get_visible_rect().size * 0.5 - view.basis_xform(place)
		_show_canvas(viewport, view)
		return
	if camera == null or camera == node:
		return
	var away := target - camera.global_transform.origin
	if away.length() < 0.01:
		return
	_keep(camera)
	var up := Vector3.UP if abs(away.normalized().y) < 0.999 else Vector3.BACK
	camera.look_at(target, up)


# A simple thing in the place of a recorded object that is gone.
func _show_stand_in(row: Dictionary) -> void:
	var id := int(row["id"])
	var shown = _stand_ins.get(id)
	var at: Array = row["position"]
	var angles: Array = row["angles"]
	_home.get_tree().set_block_signals(true)
	if _crowd == null:
		_crowd = Node.new()
		_crowd.name = "Crowd"
		_home.add_child(_crowd)
	if shown == null:
		shown = _new_stand_in(_dimension_of(str(row["type"])) == SOLID)
		shown.name = "StandIn%d" % id
		_crowd.add_child(shown)
		_stand_ins[id] = shown
	_home.get_tree().set_block_signals(false)
	if shown is Node3D:
		shown.transform = Transform3D(
			Basis(Vector3(angles[1], angles[2], angles[0])), Vector3(at[0], at[1], at[2])
		)
	else:
		shown.position = Vector2(at[0], at[1])
		shown.rotation = angles[2]
	shown.visible = bool(row["visible"])


func _dimension_of(type: String) -> int:
	var kind: PlayheadType = _types.named(type)
	if kind != null:
		return kind.dimension
	return SOLID if _home.get_tree().root.get_camera_3d() != null else FLAT


func _new_stand_in(solid: bool) -> Node:
	if solid:
		if DisplayServer.get_name() == "headless":
			return Node3D.new()  # which has no meshes
		var box := MeshInstance3D.new()
		box.mesh = BoxMesh.new()
		box.mesh.size = Vector3(0.5, 0.5, 0.5)
		return box
	var diamond := Polygon2D.new()
	var corners := [Vector2(12, 0), Vector2(0, 12), Vector2(-12, 0), Vector2(0, -12)]
	diamond.polygon = PackedVector2Array(corners)
	diamond.color = Color(1, 0.6, 0, 0.7)
	return diamond


func _remove_stand_in(id: int) -> void:
	var shown = _stand_ins.get(id)
	if shown != null:
		_home.get_tree().set_block_signals(true)
		_stand_ins.erase(id)
		shown.free()
		_home.get_tree().set_block_signals(false)
