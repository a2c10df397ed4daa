# Packets between peers of one process: each goes into the queue of the one it is for.
extends MultiplayerPeerExtension

# Bytes that have come.
var received := 0
var _id := 0
var _hub := {}
var _target := 0
var _packets: Array = []
var _channel := 0
var _mode := MultiplayerPeer.TRANSFER_MODE_RELIABLE

func join(id: int, hub: Dictionary) -> void:
	_id = id
	_hub = hub
	hub[id] = self

func _put_packet_script(buffer: PackedByteArray) -> Error:
	for peer: int in _hub:
		var is_for := _target == 0 or _target == peer or (_target < 0 and -_target != peer)
		if peer != _id and is_for and (_id == 1 or peer == 1):
			_hub[peer]._packets.append([_id, buffer, _channel, _mode])
			_hub[peer].received += buffer.size()
	return OK

func _get_packet_script() -> PackedByteArray:
	return _packets.pop_front()[1]

func _get_available_packet_count() -> int:
	return _packets.size()

func _get_packet_peer() -> int:
	return _packets[0][0]

func _get_packet_channel() -> int:
	return _packets[0][2]

func _get_packet_mode() -> MultiplayerPeer.TransferMode:
	return _packets[0][3]

func _get_max_packet_size() -> int:
	return 1 << 20

func _set_target_peer(peer: int) -> void:
	_target = peer

func _set_transfer_channel(channel: int) -> void:
	_channel = channel

func _get_transfer_channel() -> int:
	return _channel

func _set_transfer_mode(mode: MultiplayerPeer.TransferMode) -> void:
	_mode = mode

func _get_transfer_mode() -> MultiplayerPeer.TransferMode:
	return _mode

func _get_unique_id() -> int:
	return _id

func _is_server() -> bool:
	return _id == 1

func _is_server_relay_supported() -> bool:
	return false

func _get_connection_status() -> MultiplayerPeer.ConnectionStatus:
	return MultiplayerPeer.CONNECTION_CONNECTED

func _set_refuse_new_connections(_enable: bool) -> void:
	pass

func _is_refusing_new_connections() -> bool:
	return false

func _poll() -> void:
	pass

func _close() -> void:
	pass

func _disconnect_peer(_peer: int, _force: bool) -> void:
	pass
