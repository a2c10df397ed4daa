# Sends players to the clients that may see them: a filter for their MultiplayerSynchronizers, on the server.
#
# In each physics frame every pair of players is asked whether either may see the other while what is sent now counts: the viewer
# within a round trip and a frame, the other within a frame. Whom the bundle does not know sees all and is seen by all.
extends Node

# A ViewcellBundle of a solid level that was baked from this project, or ViewcellWeb on the web.
var bundle: RefCounted
# The greatest speed of players in metres a second: dashes, falls and knock-back included.
@export var speed := 12.0
# The longest time between two physics frames of a server, and the furthest look-ahead, in seconds.
@export var interval := 0.05
@export var max_ahead := 0.3
# For how long somebody is sent after sight has ended, so that nodes are not despawned and spawned again all the time.
@export var hold := 1.0
# The round trip to a peer in seconds, as a Callable of the peer; without one it is that of the furthest look-ahead.
var ping := Callable()

# Pairs of the last frame, and how many of them are hidden, before any are held.
var pairs := 0
var hidden := 0

var _players: Dictionary[int, Node3D] = {}
var _synchronizers: Dictionary[int, MultiplayerSynchronizer] = {}
# By viewer and player: until when the one is sent the other.
var _until: Dictionary[Vector2i, float] = {}
var _now := 0.0

# A peer's player, with its origin between the feet as it was baked, and what synchronizes it. Whoever has none sees all.
func add(peer: int, player: Node3D, synchronizer: MultiplayerSynchronizer) -> void:
	_players[peer] = player
	_synchronizers[peer] = synchronizer
	synchronizer.add_visibility_filter(func(to: int) -> bool: return is_sent(to, peer))

func remove(peer: int) -> void:
	_players.erase(peer)
	_synchronizers.erase(peer)
	for pair: Vector2i in _until.keys():
		if pair.x == peer or pair.y == peer:
			_until.erase(pair)

# Whether a peer is sent the player of another.
func is_sent(to: int, peer: int) -> bool:
	# The engine asks first whether all peers at once are sent it.
	if to == MultiplayerPeer.TARGET_PEER_BROADCAST:
		return false
	if to == peer or to == MultiplayerPeer.TARGET_PEER_SERVER or not _players.has(to) or not _players.has(peer):
		return true
	# Who has come since the last frame is sent.
	return _until.get(Vector2i(to, peer), INF) >= _now

func _physics_process(delta: float) -> void:
	tick(delta)

# Asks about all pairs, and has the synchronizers of those whose visibility has changed show or hide them.
func tick(delta: float) -> void:
	pairs = 0
	hidden = 0
	var before: Dictionary[Vector2i, bool] = {}
	for pair: Vector2i in _until:
		before[pair] = is_sent(pair.x, pair.y)
	_now += delta
	for viewer: int in _players:
		for peer: int in _players:
			if viewer == peer:
				continue
			var pair := Vector2i(viewer, peer)
			pairs += 1
			if _may_see(viewer, peer):
				_until[pair] = _now + hold
			else:
				hidden += 1
				if not _until.has(pair):
					_until[pair] = -INF
			if not before.has(pair) or before[pair] != is_sent(viewer, peer):
				_synchronizers[peer].update_visibility(viewer)

func _may_see(viewer: int, peer: int) -> bool:
	if bundle == null or not bundle.is_open() or not bundle.is_solid():
		return true
	# Whoever sees further ahead than max_ahead sees everybody, and so does who has a ping that is none.
	var ahead := maxf(max_ahead, interval)
	if ping.is_valid():
		var round_trip: float = ping.call(viewer)
		ahead = round_trip + interval if round_trip >= 0.0 and round_trip + interval <= ahead else INF
	var from := _players[viewer].global_position
	var to := _players[peer].global_position
	return bundle.visible_within(from, to, speed * ahead, speed * interval)
