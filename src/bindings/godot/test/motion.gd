# Recorded motion through a server and its clients, each with its own SceneMultiplayer, in one process: whom each client has, frame by
# frame, and the bytes that it was sent; then the same with nobody hidden.
extends Node

const Visibility := preload("res://addons/viewcell/viewcell_visibility.gd")
const ViewcellWeb := preload("res://addons/viewcell_web/viewcell_web.gd")
const Loopback := preload("res://loopback.gd")

const FRAME := 0.05

var told := {}
var motion: PackedFloat32Array
var players := 0

func _ready() -> void:
	motion = FileAccess.get_file_as_bytes("res://motion").to_float32_array()
	players = int(motion[0])
	var bundle := ViewcellWeb.new()
	bundle.open_bytes(FileAccess.get_file_as_bytes("res://level.vcb"))
	told.error = await bundle.opened
	if told.error == "":
		told.hidden = await _play(bundle)
		told.all = await _play(null)
	JavaScriptBridge.eval("fetch('/told', { method: 'POST', body: %s })" % JSON.stringify(JSON.stringify(told)))

func _at(frame: int, player: int) -> Vector3:
	var first := 1 + 3 * (frame * players + player)
	return Vector3(motion[first], motion[first + 1], motion[first + 2])

# Peers of clients are 2 and on.
func _play(bundle: ViewcellWeb) -> Dictionary:
	var hub := {}
	var apis: Array[SceneMultiplayer] = []
	var nodes: Array = []
	var sides: Array[Node] = []
	var visibility := Visibility.new()
	visibility.bundle = bundle
	visibility.speed = 1000.0
	visibility.interval = FRAME
	visibility.hold = 0.0
	visibility.ping = func(_of: int) -> float: return FRAME
	for peer in range(1, players + 2):
		var side := Node3D.new()
		add_child(side)
		sides.append(side)
		var api := SceneMultiplayer.new()
		get_tree().set_multiplayer(api, side.get_path())
		apis.append(api)
		var link := Loopback.new()
		link.join(peer, hub)
		api.multiplayer_peer = link
	for peer in range(2, players + 2):
		hub[1].peer_connected.emit(peer)
		hub[peer].peer_connected.emit(1)
	for side in sides:
		var row: Array[Node3D] = []
		for player in players:
			var node := Node3D.new()
			node.name = "player%d" % player
			var synchronizer := MultiplayerSynchronizer.new()
			# The same path on all sides, by which they know each other.
			synchronizer.name = "synchronizer"
			synchronizer.replication_config = SceneReplicationConfig.new()
			synchronizer.replication_config.add_property(^".:position")
			node.add_child(synchronizer)
			if side == sides[0]:
				visibility.add(player + 2, node, synchronizer)
			side.add_child(node)
			row.append(node)
		nodes.append(row)
	sides[0].add_child(visibility)
	visibility.set_physics_process(false)
	for i in 5:
		await get_tree().process_frame

	var lines := PackedStringArray()
	var frames := (motion.size() - 1) / (3 * players)
	for link: Loopback in hub.values():
		link.received = 0
	for frame in frames:
		for player in players:
			nodes[0][player].position = _at(frame, player)
			for client in range(1, players + 1):
				nodes[client][player].position = Vector3.INF
		visibility.tick(FRAME)
		for api in apis:
			api.poll()
		var words := PackedStringArray()
		for viewer in players:
			var word := ""
			for player in players:
				word += "1" if nodes[viewer + 1][player].position == _at(frame, player) else "0"
			words.append(word)
		lines.append(" ".join(words))
		# The page goes on.
		if frame % 50 == 49:
			await get_tree().process_frame
	var bytes := 0
	for peer in range(2, players + 2):
		bytes += hub[peer].received
	for side in sides:
		get_tree().set_multiplayer(null, side.get_path())
		side.free()
	return {"frames": frames, "bytes": bytes, "lines": "\n".join(lines)}
