# The game stands still: the tree with everything in it, physics, timers, input, and functions that
# wait for the next frame.
extends Reference

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
	_was_input_off = tree.root.is_input_disabled()
	tree.root.set_disable_input(true)
	_was_polling = tree.multiplayer_poll
	tree.multiplayer_poll = false
	_mouse = Input.get_mouse_mode()
	if _mouse == Input.MOUSE_MODE_CAPTURED or _mouse == Input.MOUSE_MODE_CONFINED:
		Input.set_mouse_mode(Input.MOUSE_MODE_VISIBLE)
	var stack := [tree.root]
	while not stack.empty():
		var node: Node = stack.pop_back()
		if node == _home:
			continue
		if node.pause_mode == Node.PAUSE_MODE_PROCESS and not node.is_in_group("playhead_awake"):
			_woken.append(node.get_instance_id())
			node.pause_mode = Node.PAUSE_MODE_STOP
		for child in node.get_children():
			stack.append(child)
	tree.paused = true
	# Functions that wait for the next frame would go on meanwhile.
	for clock in ["idle_frame", "physics_frame"]:
		for connection in tree.get_signal_connection_list(clock):
			tree.disconnect(clock, connection["target"], connection["method"])
			_muted.append(connection)


# Nodes that would do more than be seen elsewhere when they move are not told that they do.
func _guard(node: Node) -> void:
	var flags := {}
	if node is VisibilityNotifier or node is VisibilityNotifier2D:
		flags["deaf"] = node.is_blocking_signals()
		node.set_block_signals(true)
		if node is VisibilityEnabler or node is VisibilityEnabler2D:
			flags["enabler"] = []
			for i in 2 if node is VisibilityEnabler else 6:
				flags["enabler"].append(node.is_enabler_enabled(i))
				node.set_enabler(i, false)
	elif not (
		node is CollisionObject or node is CollisionObject2D
		or node is RemoteTransform or node is RemoteTransform2D
		or node is GridMap or node is TileMap
		or node is NavigationMeshInstance or node is NavigationPolygonInstance
	):
		return
	flags["place"] = node.is_transform_notification_enabled()
	flags["local"] = node.is_local_transform_notification_enabled()
	node.set_notify_transform(false)
	node.set_notify_local_transform(false)
	_guarded.append([node.get_instance_id(), flags])


# From now on what is shown must do nothing in the game.
func guard() -> void:
	PhysicsServer.set_active(false)
	Physics2DServer.set_active(false)
	# Not before: nodes may have come in at the end of the frame in which it was stopped.
	var stack := [_home.get_tree().root]
	while not stack.empty():
		var node: Node = stack.pop_back()
		if node is Spatial or node is CanvasItem:
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
		if flags.has("enabler"):
			for i in flags["enabler"].size():
				node.set_enabler(i, flags["enabler"][i])
		if flags.has("deaf"):
			node.set_block_signals(flags["deaf"])
	_guarded.clear()
	for connection in _muted:
		if is_instance_valid(connection["target"]):
			tree.connect(
				connection["signal"], connection["target"], connection["method"],
				connection["binds"], connection["flags"]
			)
	_muted.clear()
	tree.paused = was_paused
	for instance in _woken:
		var node = instance_from_id(instance)
		if node != null:
			node.pause_mode = Node.PAUSE_MODE_PROCESS
	_woken.clear()
	Engine.time_scale = _time_scale
	tree.root.set_disable_input(_was_input_off)
	tree.multiplayer_poll = _was_polling
	if _mouse != Input.get_mouse_mode():
		Input.set_mouse_mode(_mouse)


# Let the physics engines report the step that was made.
func let_physics_report() -> void:
	PhysicsServer.set_active(true)
	Physics2DServer.set_active(true)


# Somebody may have let it run.
func hold() -> void:
	if not _home.get_tree().paused:
		was_paused = false
		_home.get_tree().paused = true
