# Functions of the game that tools can call, and the calls that wait for their turn.
extends RefCounted

const PlayheadCallError = preload("call_error.gd")

var has_news := false  # other names are served than the service knows

var _connection
var _functions := {}  # name -> [object, method]
var _waiting := []  # orders


func _init(connection) -> void:
	_connection = connection


func serve(name: String, object: Object, method: String) -> void:
	_functions[name] = [weakref(object), method]
	has_news = true


func withdraw(name: String) -> void:
	has_news = _functions.erase(name) or has_news


# Say what is served, if the service does not know it yet.
func declare() -> void:
	if has_news:
		has_news = false
		_connection.request({"do": "serve", "names": _functions.keys()})


# On a new connection.
func begin() -> void:
	has_news = not _functions.is_empty()


# The service is gone, and with it those who wait.
func end() -> void:
	_waiting.clear()


func add(order: Dictionary) -> void:
	_waiting.append(order)


# Do what the calls ask for that have come.
func answer() -> void:
	while not _waiting.is_empty():
		var order: Dictionary = _waiting.pop_front()
		var result = _result_of(str(order.get("name")), order.get("argument"))
		var answer := {"do": "return", "call": int(order.get("call", 0))}
		if result is PlayheadCallError:
			answer["error"] = result.message
			answer["refused"] = result.is_callers
		else:
			answer["result"] = result
		_connection.answer_call(answer)


func _result_of(name: String, argument):
	if not _functions.has(name):
		return PlayheadCallError.new("the game serves no \"%s\"" % name, true)
	var object = _functions[name][0].get_ref()
	if object == null:
		return PlayheadCallError.new("what serves it is gone", false)
	var method: String = _functions[name][1]
	if not object.has_method(method):
		return PlayheadCallError.new("there is no method %s" % method, false)
	var result = object.call(method, argument)
	if result is Object and result.get_class() == "GDScriptFunctionState":
		return PlayheadCallError.new("%s awaits: it has to return its result" % method, false)
	return result
