# A WebSocket (RFC 6455) that never blocks, and that knows how much still waits to be sent: the
# engine's own keeps that to itself.
extends RefCounted

enum { IDLE, RESOLVING, CONNECTING, SECURING, GREETING, OPEN, LOST }

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
const MOST = 68000000
const PATIENCE = 5000

var state := IDLE
var why := ""
var why_matters := false
var shown_url := ""
var has_heard := false
var has_address := false

var _secure := false
var _host := ""
var _port := 80
var _path := "/"
var _certificate: X509Certificate = null
var _tcp: StreamPeerTCP
var _peer: StreamPeer
var _resolving := -1
var _deadline := 0
var _key := ""
var _in := PackedByteArray()
var _out := PackedByteArray()
var _part := PackedByteArray()
var _part_is_text := false
var _random := RandomNumberGenerator.new()  # never the game's


func _init(url: String, certificate: String) -> void:
	_random.randomize()
	_secure = url.begins_with("wss://")
	_port = 443 if _secure else 80
	var rest := url.substr(url.find("://") + 3, url.length())
	var slash := rest.find("/")
	var question := rest.find("?")
	if slash < 0 or (question >= 0 and question < slash):
		slash = question
	if slash >= 0:
		_path = rest.substr(slash, rest.length())
		rest = rest.substr(0, slash)
		if _path.begins_with("?"):
			_path = "/" + _path
	var colon := rest.rfind(":")
	if colon > rest.find("]"):
		_port = int(rest.substr(colon + 1, rest.length()))
		rest = rest.substr(0, colon)
	_host = rest.replace("[", "").replace("]", "")
	shown_url = "%s:%d" % [_host, _port]
	if certificate != "":
		_certificate = X509Certificate.new()
		if _certificate.load(certificate) != OK:
			_certificate = null


func open() -> void:
	_in = PackedByteArray()
	_out = PackedByteArray()
	_part = PackedByteArray()
	why = ""
	why_matters = false
	_deadline = Time.get_ticks_msec() + PATIENCE
	_tcp = StreamPeerTCP.new()
	_peer = _tcp
	if _host.is_valid_ip_address():
		_reach(_host)
	else:
		state = RESOLVING
		var type := IP.TYPE_IPV4 if _host == "localhost" else IP.TYPE_ANY
		_resolving = IP.resolve_hostname_queue_item(_host, type)


func close() -> void:
	if state == OPEN:
		_put(8, PackedByteArray([3, 232]))
		flush()
	if _tcp != null:
		_tcp.disconnect_from_host()
	state = IDLE


func lose(reason: String, matters := true) -> void:
	if state == IDLE or state == LOST:
		return
	why = reason
	why_matters = matters
	state = LOST
	_tcp.disconnect_from_host()
	if _resolving >= 0:
		IP.erase_resolve_item(_resolving)
		_resolving = -1


func waiting() -> int:
	return _out.size()


func send_text(text: String) -> void:
	_put(1, text.to_utf8_buffer())


func send_bytes(bytes: PackedByteArray) -> void:
	_put(2, bytes)


# Messages that have come whole: String or PackedByteArray.
func poll() -> Array:
	if state == RESOLVING:
		_look_up()
	if state == CONNECTING:
		_connecting()
	if state == SECURING:
		_securing()
	if state > IDLE and state < OPEN and Time.get_ticks_msec() > _deadline:
		lose("it does not answer", false)
	var messages := []
	if state == GREETING or state == OPEN:
		_tcp.poll()
		_read()
		# What it said before it hung up counts.
		var closed := _tcp.get_status() != StreamPeerTCP.STATUS_CONNECTED
		if state == GREETING:
			_greeting()
		if state == OPEN:
			_take(messages)
		if closed:
			lose("it closed the connection")
	return messages


# Send what the network takes now; false if the connection is gone.
func flush() -> bool:
	while (state == GREETING or state == OPEN) and _out.size() > 0:
		var done: Array = _peer.put_partial_data(_out)
		if done[0] != OK:
			lose("the connection broke")
			break
		var sent: int = done[1]
		if sent == 0:
			break
		if sent >= _out.size():
			_out = PackedByteArray()
		else:
			_out = _out.slice(sent, _out.size())
	return state == OPEN


func _reach(address: String) -> void:
	has_address = true
	state = CONNECTING
	if _tcp.connect_to_host(address, _port) != OK:
		lose("no connection", false)


func _look_up() -> void:
	var status := IP.get_resolve_item_status(_resolving)
	if status == IP.RESOLVER_STATUS_WAITING:
		return
	var address := ""
	if status == IP.RESOLVER_STATUS_DONE:
		address = IP.get_resolve_item_address(_resolving)
	IP.erase_resolve_item(_resolving)
	_resolving = -1
	if address == "":
		state = CONNECTING
		lose("there is no host " + _host)
	else:
		_reach(address)


func _connecting() -> void:
	_tcp.poll()
	var status := _tcp.get_status()
	if status == StreamPeerTCP.STATUS_CONNECTED:
		_tcp.set_no_delay(true)
		if not _secure:
			_greet()
			return
		state = SECURING
		var tls := StreamPeerTLS.new()
		_peer = tls
		if tls.connect_to_stream(_tcp, _host, TLSOptions.client(_certificate)) != OK:
			lose("no TLS")
	elif status != StreamPeerTCP.STATUS_CONNECTING:
		lose("nobody listens there", false)


func _securing() -> void:
	_peer.poll()
	var status: int = _peer.get_status()
	if status == StreamPeerTLS.STATUS_CONNECTED:
		_greet()
	elif status != StreamPeerTLS.STATUS_HANDSHAKING:
		lose("its TLS certificate is not one that is trusted")


func _greet() -> void:
	state = GREETING
	var bytes := PackedByteArray()
	for i in 16:
		bytes.append(_random.randi() & 255)
	_key = Marshalls.raw_to_base64(bytes)
	var lines := [
		"GET " + _path + " HTTP/1.1", "Host: " + shown_url, "Upgrade: websocket",
		"Connection: Upgrade", "Sec-WebSocket-Key: " + _key, "Sec-WebSocket-Version: 13",
		"", "",
	]
	_out = "\r\n".join(PackedStringArray(lines)).to_utf8_buffer()
	flush()


func _read() -> void:
	if _secure:
		_peer.poll()
	while state != LOST:
		var length := _peer.get_available_bytes()
		if length <= 0:
			break
		var done: Array = _peer.get_partial_data(length)
		if done[0] != OK or done[1].size() == 0:
			break
		_in.append_array(done[1])
		has_heard = true


func _greeting() -> void:
	var end := -1
	for i in range(0, _in.size() - 3):
		if _in[i] == 13 and _in[i + 1] == 10 and _in[i + 2] == 13 and _in[i + 3] == 10:
			end = i + 4
			break
	if end < 0:
		return
	var head := _in.slice(0, end).get_string_from_ascii()
	var digest := HashingContext.new()
	digest.start(HashingContext.HASH_SHA1)
	digest.update((_key + GUID).to_ascii_buffer())
	var expected := Marshalls.raw_to_base64(digest.finish())
	var first := head.substr(0, head.find("\r"))
	if not " 101" in first or not expected in head:
		lose("it answers " + first)
		return
	_drop(end)
	state = OPEN


func _drop(count: int) -> void:
	_in = _in.slice(count, _in.size()) if count < _in.size() else PackedByteArray()


# A mask hides what a script in a browser might smuggle past a proxy. There is no browser here:
# zeros, which leave the bytes as they are, spare a walk over each of them.
func _put(code: int, bytes: PackedByteArray) -> void:
	var size := bytes.size()
	var head := [128 | code]
	if size < 126:
		head.append(128 | size)
	elif size < 65536:
		head += [128 | 126, size >> 8, size & 255]
	else:
		head.append(128 | 127)
		for i in range(7, -1, -1):
			head.append((size >> (i * 8)) & 255)
	_out.append_array(PackedByteArray(head + [0, 0, 0, 0]))
	_out.append_array(bytes)


func _take(messages: Array) -> void:
	var at := 0
	while _in.size() - at >= 2:
		var length := _in[at + 1] & 127
		var body := at + 2
		if length == 126:
			body += 2
		elif length == 127:
			body += 8
		if _in.size() < body:
			break
		if length >= 126:
			length = 0
			for i in range(at + 2, body):
				length = length << 8 | _in[i]
		if length < 0 or length > MOST or _in[at + 1] & 128:
			lose("it sent what is no WebSocket frame")
			return
		if _in.size() < body + length:
			break
		var data := _in.slice(body, body + length) if length > 0 else PackedByteArray()
		_message(_in[at], data, messages)
		at = body + length
	if at > 0:
		_drop(at)


func _message(first: int, data: PackedByteArray, messages: Array) -> void:
	var code := first & 15
	if code == 8:
		var reason := ""
		if data.size() > 2:
			reason = data.slice(2, data.size()).get_string_from_utf8()
		lose("it said goodbye: " + reason)
	elif code == 9:
		_put(10, data)
	elif code <= 2:
		if code > 0:
			_part = data
			_part_is_text = code == 1
		else:
			_part.append_array(data)
		if first & 128:
			if _part_is_text:
				messages.append(_part.get_string_from_utf8())
			else:
				messages.append(_part)
			_part = PackedByteArray()
