# The game stands still: the tree with everything in it, physics, timers, input, and functions that
# wait for the next frame.
extends RefCounted

var was_paused := false  # by the game itself

var _home: Node
var _time_scale := 1.0
var _was_input_off := false
var _mouse := 0
var _was_polling := true
var _woken := []  # instance ids of nodes that ran while the tree was paused
var _guarded := []  # [instance id, flags]: see _guard
var _muted := []  # connections to the tree's clock signals


func _init(home: Node) -> void:
	_home = home


# Stop everything but nodes in the group "playhead_awake".
func freeze() -> void:
	var tree := _home.get_tree()
	was_paused = tree.paused
	_time_scale = Engine.time_scale
	Engine.time_scale = 0.0  # timers of the tree don't care for its pause
	_was_input_off = tree.root.gui_disable_input
	tree.root.gui_disable_input = true  # other input does not come to nodes that are paused
	_was_polling = tree.multiplayer_poll
	tree.multiplayer_poll = false
	_mouse = Input.get_mouse_mode()
	if _mouse == Input.MOUSE_MODE_CAPTURED or _mouse == Input.MOUSE_MODE_CONFINED:
		Input.set_mouse_mode(Input.MOUSE_MODE_VISIBLE)
	var stack := [tree.root]
	while not stack.is_empty():
		var node: Node = stack.pop_back()
		if node == _home:
			continue
		if node.process_mode == Node.PROCESS_MODE_ALWAYS and not node.is_in_group("playhead_awake"):
			_woken.append(node.get_instance_id())
			node.process_mode = Node.PROCESS_MODE_PAUSABLE
		for child in node.get_children():
			stack.append(child)
	tree.paused = true
	# Functions that wait for the next frame would go on meanwhile.
	for clock in ["process_frame", "physics_frame"]:
		for connection in tree.get_signal_connection_list(clock):
			tree.disconnect(clock, connection["callable"])
			_muted.append([clock, connection["callable"], connection["flags"]])


# Nodes that would do more than be seen elsewhere when they move are not told that they do.
func _guard(node: Node) -> void:
	var flags := {}
	if node is VisibleOnScreenNotifier3D or node is VisibleOnScreenNotifier2D:
		flags["deaf"] = node.is_blocking_signals()
		node.set_block_signals(true)
		if node is VisibleOnScreenEnabler3D or node is VisibleOnScreenEnabler2D:
			flags["enabled"] = node.enable_node_path
			node.enable_node_path = NodePath()
	elif not (
		node is CollisionObject3D or node is CollisionObject2D
		or node is RemoteTransform3D or node is RemoteTransform2D
		or node is GridMap or node is TileMap
		or node is NavigationRegion3D or node is NavigationRegion2D
	):
		return
	flags["place"] = node.is_transform_notification_enabled()
	flags["local"] = node.is_local_transform_notification_enabled()
	node.set_notify_transform(false)
	node.set_notify_local_transform(false)
	_guarded.append([node.get_instance_id(), flags])


# From now on what is shown must do nothing in the game.
func guard() -> void:
	PhysicsServer3D.set_active(false)
	PhysicsServer2D.set_active(false)
	# Not before: nodes may have come in at the end of the frame in which it was stopped.
	var stack := [_home.get_tree().root]
	while not stack.is_empty():
		var node: Node = stack.pop_back()
		if node is Node3D or node is CanvasItem:
			_guard(node)
		for child in node.get_children():
			stack.append(child)


# Everything has been put back: run on.
func thaw() -> void:
	var tree := _home.get_tree()
	for guarded in _guarded:
		var node = instance_from_id(guarded[0])
		if node == null:
			continue
		var flags: Dictionary = guarded[1]
		node.set_notify_transform(flags["place"])
		node.set_notify_local_transform(flags["local"])
		if flags.has("enabled"):
			node.enable_node_path = flags["enabled"]
		if flags.has("deaf"):
			node.set_block_signals(flags["deaf"])
	_guarded.clear()
	for connection in _muted:
		if connection[1].is_valid():
			tree.connect(connection[0], connection[1], connection[2])
	_muted.clear()
	tree.paused = was_paused
	for instance in _woken:
		var node = instance_from_id(instance)
		if node != null:
			node.process_mode = Node.PROCESS_MODE_ALWAYS
	_woken.clear()
	Engine.time_scale = _time_scale
	tree.root.gui_disable_input = _was_input_off
	tree.multiplayer_poll = _was_polling
	if _mouse != Input.get_mouse_mode():
		Input.set_mouse_mode(_mouse)


# Let the physics engines report the step that was made.
func let_physics_report() -> void:
	PhysicsServer3D.set_active(true)
	PhysicsServer2D.set_active(true)


# Somebody may have let it run.
func hold() -> void:
	if not _home.get_tree().paused:
		was_paused = false
		_home.get_tree().paused = true
