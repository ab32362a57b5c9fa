# The numbers by which tools know nodes. Each is a node's own for as long as it lives, and never
# used again.
extends RefCounted

const IDS = 16777216  # ids that a run may use for each frame that was recorded before it

var _lock := Mutex.new()
var _newest := 0
var _ids := {}  # instance id -> id
var _nodes := {}  # id -> instance id


# Another recording: in one that has frames, another run may have used any id so far.
func begin_after(frame: int) -> void:
	_newest = frame * IDS
	_ids.clear()
	_nodes.clear()


func id_of(node: Object) -> int:
	var instance := node.get_instance_id()
	_lock.lock()
	var id: int = _ids.get(instance, 0)
	if id == 0:
		_newest += 1
		id = _newest
		_ids[instance] = id
		_nodes[id] = instance
	_lock.unlock()
	return id


# The node with this id, or null.
func node_of(id: int):
	return instance_from_id(_nodes[id]) if _nodes.has(id) else null


func has(instance: int) -> bool:
	return _ids.has(instance)


func instances() -> Array:
	return _ids.keys()


func forget(instance: int) -> void:
	_lock.lock()
	_nodes.erase(_ids[instance])
	_ids.erase(instance)
	_lock.unlock()
