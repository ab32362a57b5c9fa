# Which nodes are recorded: what came, left or changed.
extends RefCounted

const PlayheadType = preload("recorded_type.gd")
const PlayheadFormat = preload("packet_format.gd")
const PlayheadObject = preload("recorded_object.gd")
const MOST_OBJECTS = 4000
const MOST_MOVERS = 64  # bodies that were thought to stand still, and got types of their own

var objects := {}  # instance id -> PlayheadObject

var _home: Node
var _connection
var _warnings
var _ids
var _types
var _statics
var _fresh := []  # instance ids of nodes that came into the tree
var _rota := []  # instance ids that are yet to be looked at again
var _movers := 0


func _init(home: Node, connection, warnings, ids, types, statics) -> void:
	_home = home
	_connection = connection
	_warnings = warnings
	_ids = ids
	_types = types
	_statics = statics


# On a new connection: all that is in the tree is new.
func begin() -> void:
	end()
	_rota.clear()
	var stack := [_home.get_tree().root]
	while not stack.is_empty():
		var node: Node = stack.pop_back()
		_fresh.append(node.get_instance_id())
		for i in range(node.get_child_count() - 1, -1, -1):
			stack.append(node.get_child(i))


func is_empty() -> bool:
	return objects.is_empty() and _statics.bodies.is_empty()


# Whether any of them has three dimensions.
func are_solid() -> bool:
	for instance in objects:
		if objects[instance].type.dimension == PlayheadFormat.SOLID:
			return true
	for instance in _statics.bodies:
		if instance_from_id(instance) is Node3D:
			return true
	return false


func end() -> void:
	objects.clear()
	_fresh.clear()
	_statics.clear()


func add(node: Node) -> void:
	_fresh.append(node.get_instance_id())


func remove(node: Node) -> void:
	var instance := node.get_instance_id()
	var thing = objects.get(instance)
	if thing != null:
		objects.erase(instance)
		thing.type.objects.erase(instance)
		_types.is_layout_old = true
	elif _statics.has(instance):
		_statics.remove(instance)
	if node.is_queued_for_deletion() and _ids.has(instance):
		_ids.forget(instance)


# See what came, left or changed since the frame before.
func sweep() -> void:
	if not _fresh.is_empty():
		var fresh := _fresh
		_fresh = []
		for instance in fresh:
			var node = instance_from_id(instance)
			if node != null and node.is_inside_tree():
				_take_up(node)
	for node in _home.get_tree().get_nodes_in_group("playhead"):
		if not objects.has(node.get_instance_id()):
			_take_up(node)
	# A few in each frame: names, scripts and what stands still change seldom.
	if _rota.is_empty():
		_rota = _ids.instances() + _statics.bodies.keys()
	for i in min(24, _rota.size()):
		var instance: int = _rota.pop_back()
		if instance_from_id(instance) == null:
			if _ids.has(instance):
				_ids.forget(instance)
		elif objects.has(instance):
			_look_again(instance)
		elif _statics.has(instance):
			_look_at_static(instance)


func _take_up(node: Node) -> void:
	var instance := node.get_instance_id()
	if node == _home or node.get_parent() == _home or objects.has(instance) or _statics.has(instance):
		return
	if node.is_in_group("playhead_ignore"):
		return
	var chosen := node.is_in_group("playhead") or node.has_method("playhead_fields")
	if not chosen:
		if node is StaticBody3D or node is StaticBody2D or node is TileMap:
			if node.get_script() == null:
				_statics.add(instance)
				_rota.append(instance)  # to be drawn soon
				return
			if node is TileMap:
				return
		elif not (
			node is RigidBody3D or node is CharacterBody3D or node is Area3D or node is Skeleton3D
			or node is Camera3D or node is RigidBody2D or node is CharacterBody2D or node is Area2D
			or node is Camera2D
		):
			return
	_record(node, "")


func _record(node: Node, alone: String) -> void:
	if objects.size() >= MOST_OBJECTS:
		_warnings.warn("only %d objects are recorded" % MOST_OBJECTS)
		return
	var thing := PlayheadObject.new()
	thing.instance = node.get_instance_id()
	thing.id = _ids.id_of(node)
	thing.alone = alone
	thing.script_now = node.get_script()
	thing.type = _types.type_of(node, alone)
	thing.type.objects[thing.instance] = thing
	objects[thing.instance] = thing
	_types.is_layout_old = true
	_name(thing, node)


func _name(thing: PlayheadObject, node: Node) -> void:
	thing.path = node.get_path()
	_connection.say({"do": "name", "object": thing.id, "name": str(thing.path).replace("/root/", "")})


func _look_again(instance: int) -> void:
	var node = instance_from_id(instance)
	var thing: PlayheadObject = objects[instance]
	if node == null:
		return
	if node.get_script() != thing.script_now or not _still_wanted(node):
		var alone := thing.alone
		thing.type.objects.erase(instance)
		objects.erase(instance)
		_types.is_layout_old = true
		if _still_wanted(node):
			_record(node, alone)
		return
	if node.get_path() != thing.path:
		_name(thing, node)
	if not thing.type.unknown.is_empty():
		_types.widen(thing.type, node)


func _still_wanted(node: Node) -> bool:
	if node.is_in_group("playhead_ignore"):
		return false
	return (
		node is CollisionObject3D or node is CollisionObject2D or node is Skeleton3D or node is Camera3D
		or node is Camera2D or node.is_in_group("playhead") or node.has_method("playhead_fields")
	)


# Bodies that stood still may move after all.
func _look_at_static(instance: int) -> void:
	var node = instance_from_id(instance)
	if node == null or not node.is_inside_tree():
		return
	if node.get_script() != null or node.is_in_group("playhead"):
		_statics.remove(instance)
		_take_up(node)
	elif _statics.has_moved(node):
		# A type of its own: others of its class were not recorded until now.
		_statics.remove(instance)
		_movers += 1
		var alone := str(node.get_path()).replace("/root/", "") if _movers <= MOST_MOVERS else ""
		_record(node, alone)
