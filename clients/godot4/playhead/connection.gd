# The conversation with the service: greetings, requests and their answers, orders, frames with what
# was stated in them. Looks for the service again when it is gone.
extends RefCounted

# The service knows us. Ids of a recording that is not the one before begin after this frame; it is
# -1 if the recording is the same.
signal welcomed(newest)
# The game is registered: frames are recorded from now on.
signal went_live
signal lost(was_joined)
signal order_came(order)
signal image_came(bytes)

const PlayheadSocket = preload("web_socket.gd")
const PlayheadJson = preload("json_text.gd")
const PROTOCOL = [2, 0]
const MOST_WAITING = 8388608  # bytes that wait for a slow service; frames beyond are dropped
const MOST_STATED = 5000  # statements in one step
const MOST_BYTES = 1048576  # of a request: the service hangs up on larger ones
const SILENCE = 30000  # milliseconds without a word after which a service is gone

enum { OFF, AWAY, REACHING, HELLO, JOINING, LIVE }

var stage := OFF
var frames_dropped := 0

var _title := ""
var _waits := false  # rather make the game wait than drop a frame
var _warnings
var _socket: PlayheadSocket
var _origin := ""
var _service := ""
var _sequence := 0
var _questions := {}  # sequence of a request -> what to do with its answer
var _retry_at := 0
var _retry_after := 250
var _heard := 0
var _spoke := 0
var _lock := Mutex.new()  # scripts may speak from threads of their own
var _stated := PackedStringArray()
var _published := {}  # name -> the newest that is not sent yet
var _dropped_told := 0
var _tell_dropped_at := 0


func _init(warnings) -> void:
	_warnings = warnings


func open(url: String, certificate: String, title: String, waits: bool) -> void:
	_socket = PlayheadSocket.new(url, certificate)
	_title = title
	_waits = waits
	stage = AWAY


# Say goodbye, for half a second at most.
func close() -> void:
	if _socket == null:
		return
	if stage == LIVE:
		request({"do": "bye"})
		var until := Time.get_ticks_msec() + 500
		while (
			_socket.waiting() > 0 and _socket.state == _socket.OPEN
			and Time.get_ticks_msec() < until
		):
			_socket.flush()
			OS.delay_msec(1)
	_socket.close()
	stage = OFF


# Whether requests wait for answers that are needed.
func is_asking() -> bool:
	return not _questions.is_empty()


# Read and answer what has come; true if something has.
func talk() -> bool:
	if stage == OFF:
		return false
	var time := Time.get_ticks_msec()
	if stage == AWAY:
		if time < _retry_at:
			return false
		_heard = time
		_socket.open()
		stage = REACHING
	var messages := _socket.poll()
	if _socket.has_heard:
		_socket.has_heard = false
		_heard = time
	for message in messages:
		if message is String:
			_on_text(message)
		else:
			emit_signal("image_came", message)
	if stage == REACHING and _socket.state == _socket.OPEN:
		stage = HELLO
		_origin = ""
		request({"do": "hello", "name": _title, "protocol": PROTOCOL}, "hello")
	if stage > REACHING:
		if time - _heard > SILENCE:
			_socket.lose("it has said nothing for a long time")
		elif time - max(_spoke, _heard) > SILENCE / 6:
			request({"do": "snapshot"})  # who is silent is taken to be gone
	_socket.flush()
	if _socket.state == _socket.LOST:
		_lose()
	return not messages.is_empty()


# Talk until it has come so far, or for ten seconds.
func wait_for(wanted: int) -> void:
	var until := Time.get_ticks_msec() + 10000
	while stage != wanted and Time.get_ticks_msec() < until:
		talk()
		OS.delay_msec(1)


func _lose() -> void:
	if stage > REACHING or _socket.why_matters:
		_warnings.warn(
			"the service at " + _socket.shown_url + " is not there: " + _socket.why
		)
	var was_joined := stage >= JOINING
	stage = AWAY
	_retry_at = Time.get_ticks_msec() + _retry_after
	_retry_after = int(min(_retry_after * 2, 2000 if _socket.has_address else 30000))
	_questions.clear()
	_lock.lock()
	_stated = PackedStringArray()
	_published.clear()
	_lock.unlock()
	emit_signal("lost", was_joined)


# --- what comes -----------------------------------------------------------------------------------


func _on_text(text: String) -> void:
	var json := JSON.new()
	if json.parse(text) != OK or not json.data is Dictionary:
		_socket.lose("it sent what is no JSON")
		return
	var message: Dictionary = json.data
	if message.has("order"):
		emit_signal("order_came", message["order"])
	elif message.has("answer"):
		var sequence := int(message.get("sequence", 0))
		var then: String = _questions.get(sequence, "")
		_questions.erase(sequence)
		_on_answer(then, message["answer"])


func _on_answer(then: String, answer: Dictionary) -> void:
	if answer.get("is") == "error":
		var kind: String = str(answer.get("kind"))
		_warnings.warn("refused (" + kind + "): " + str(answer.get("message")))
		if kind == "version":
			_socket.close()
			stage = OFF
		elif then != "" or kind == "hello":
			_retry_after = 2000
			_socket.lose(str(answer.get("message")))
	elif then == "hello":
		_on_welcome(answer)
	elif then == "game":
		_retry_after = 250
		stage = LIVE
		emit_signal("went_live")


func _on_welcome(welcome: Dictionary) -> void:
	_origin = str(welcome.get("origin"))
	var newest := -1
	if str(welcome.get("service")) != _service:
		_service = str(welcome.get("service"))
		newest = 0
		var span = welcome.get("snapshot", {}).get("span")
		if span is Array and span.size() > 1:
			newest = int(span[1])
		elif span is Dictionary:
			newest = int(span.get("newest", 0))
	stage = JOINING
	emit_signal("welcomed", newest)


# --- what is sent ---------------------------------------------------------------------------------


# `then` says what an answer is for; a request without that may fail.
func request(ask: Dictionary, then := "") -> void:
	_send_request(_enveloped(ask, _sequence + 1), then)


# The result of a call; one that can't be sent is a failure, or the caller would wait for ever.
func answer_call(answer: Dictionary) -> void:
	var text := _enveloped(answer, _sequence + 1)
	if not _fits(text):
		var failure := {"do": "return", "call": answer["call"], "error": "its result is too long"}
		text = _enveloped(failure, _sequence + 1)
	_send_request(text, "")


func _send_request(text: String, then: String) -> void:
	_sequence += 1
	if then != "":
		_questions[_sequence] = then
	_spoke = Time.get_ticks_msec()
	_socket.send_text(text)


# Whether something waits to be sent with the next frame.
func has_statements() -> bool:
	return _stated.size() > 0


# State something in the frame that comes next; false if there is no room for it.
func say(ask: Dictionary) -> bool:
	if stage < JOINING:
		return false
	var text := _enveloped(ask, 0)
	_lock.lock()
	var has_room := _stated.size() < MOST_STATED and _fits(text)
	if has_room:
		_stated.append(text)
	else:
		_warnings.warn("what was said is too long, or too much for one step: it is not recorded")
	_lock.unlock()
	return has_room


# The newest under a name, for tools.
func publish(name: String, body) -> void:
	var text := _enveloped({"do": "publish", "name": name, "body": body}, 0)
	_lock.lock()
	if _fits(text):
		_published[name] = text
	else:
		_warnings.warn("what is published as \"%s\" is too long" % name)
	_lock.unlock()


func send_published() -> void:
	if stage != LIVE or _published.is_empty() or _socket.waiting() > MOST_WAITING:
		return
	_lock.lock()
	var published := _published
	_published = {}
	_lock.unlock()
	for name in published:
		_socket.send_text(published[name])


# Send a frame with what was stated in it; false if it was dropped.
func send_frame(image: PackedByteArray) -> bool:
	_lock.lock()
	var stated := _stated
	_stated = PackedStringArray()
	_lock.unlock()
	if _waits:
		var until := Time.get_ticks_msec() + 10000
		while _socket.waiting() > MOST_WAITING / 8 and Time.get_ticks_msec() < until:
			if not _socket.flush():
				break
			OS.delay_usec(200)
	if _socket.waiting() + image.size() > MOST_WAITING and _socket.waiting() > 0:
		frames_dropped += 1
		_keep_of_dropped(stated)
		return false
	if frames_dropped > _dropped_told and Time.get_ticks_msec() > _tell_dropped_at:
		var dropped := frames_dropped - _dropped_told
		_dropped_told = frames_dropped
		_tell_dropped_at = Time.get_ticks_msec() + 1000
		var text := "%d frames were not recorded: the service was too slow" % dropped
		var line := {"text": text, "level": "warning"}
		_socket.send_text(_enveloped({"do": "log", "line": line}, 0))
	for text in stated:
		_socket.send_text(text)
	_socket.send_bytes(image)
	_socket.flush()
	_spoke = Time.get_ticks_msec()
	return true


# A frame is lost with what was said in it, but not what stays true, nor a failed check.
func _keep_of_dropped(stated: PackedStringArray) -> void:
	var kept := PackedStringArray()
	for text in stated:
		for lasting in ["\"do\":\"name\"", "\"do\":\"report_failed_check\"", "\"do\":\"phase\"",
				"\"latch\":"]:
			if lasting in text:
				kept.append(text)
				break
	_lock.lock()
	kept.append_array(_stated)
	_stated = kept
	_lock.unlock()


func _enveloped(ask: Dictionary, sequence: int) -> String:
	return "{\"origin\":%s,\"sequence\":%d,\"ask\":%s}" % [
		PlayheadJson.quoted(_origin), sequence, PlayheadJson.of(ask)
	]


func _fits(text: String) -> bool:
	return text.length() <= MOST_BYTES / 4 or text.to_utf8_buffer().size() <= MOST_BYTES
