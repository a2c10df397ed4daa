# A bundle in a web export, where no extension is: asks the npm package `viewcell`, which is served beside the game.
#
#   const ViewcellWeb := preload("res://addons/viewcell_web/viewcell_web.gd")
#   var bundle := ViewcellWeb.new()
#   bundle.open_bytes(FileAccess.get_file_as_bytes("res://level.vcb"))
#   if await bundle.opened == "":
#       print(bundle.visible(bundle.locate(Vector3(120, 0, 340)), bundle.locate(Vector3(800, 0, 95))))
#
# Places are numbers, as ViewcellBundle of the extension has them: samples row by row, or cells; -1 is nowhere.
extends RefCounted

# Whether there is a bundle now: why not, in words, or nothing.
signal opened(error_text: String)

# Where the package is, from the page of the game.
var package := "viewcell/viewcell.js"

# Numbers go over as they are, bytes as text.
const GLUE := """
globalThis.viewcellOfGodot ??= (() => {
  const bundles = new Map();
  let last = 0;
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const textOf = (bytes) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  };
  const places = (bundle) => (bundle.kind === 'terrain' ? bundle.width * bundle.height : bundle.cells);
  const isPlace = (bundle, number) => number >= 0 && number < places(bundle);
  const place = (bundle, number) =>
    bundle.kind === 'terrain' ? [number % bundle.width, Math.floor(number / bundle.width)] : [number];
  return {
    async open(from, text, told) {
      try {
        const { open } = await import(new URL(from, document.baseURI).href);
        bundles.set(++last, await open(bytesOf(text)));
        told(last, '');
      } catch (error) {
        told(0, String(error?.message ?? error) || 'the bundle cannot be opened');
      }
    },
    close(key) {
      bundles.get(key)?.close();
      bundles.delete(key);
    },
    shape(key) {
      const bundle = bundles.get(key);
      return JSON.stringify(bundle.kind === 'terrain'
        ? { places: places(bundle), size: [bundle.width, bundle.height], spacing: [bundle.dx, bundle.dy] }
        : { places: places(bundle), solid: bundle.kind === 'solid' });
    },
    locate(key, x, y, z) {
      const bundle = bundles.get(key);
      const at = bundle.locate(x, y, z);
      // Whoever can be somewhere sees themselves: at a void nobody can be, and it is nowhere, as in the extension.
      if (at === null || !bundle.visible(at, at)) return -1;
      return bundle.kind === 'terrain' ? at[1] * bundle.width + at[0] : at;
    },
    points(key, ax, ay, az, bx, by, bz) {
      return bundles.get(key).visiblePoints([ax, ay, az], [bx, by, bz]);
    },
    within(key, ax, ay, az, bx, by, bz, reachA, reachB) {
      return bundles.get(key).visibleWithin([ax, ay, az], [bx, by, bz], reachA, reachB);
    },
    bounds(key, cell) {
      const bundle = bundles.get(key);
      if (!isPlace(bundle, cell)) return JSON.stringify([[0, 0, 0], [0, 0, 0]]);
      return JSON.stringify(bundle.bounds(cell));
    },
    pairs(key, text) {
      const bundle = bundles.get(key);
      const numbers = Array.from(new BigInt64Array(bytesOf(text).buffer), Number);
      const found = new Uint8Array(numbers.length / 2);
      const asked = [];
      const questions = [];
      for (let i = 0; i < found.length; i++) {
        const [from, to] = [numbers[2 * i], numbers[2 * i + 1]];
        if (!isPlace(bundle, from) || !isPlace(bundle, to)) continue;
        asked.push(i);
        questions.push(...place(bundle, from), ...place(bundle, to));
      }
      bundle.visiblePairs(Uint32Array.from(questions)).forEach((answer, i) => (found[asked[i]] = answer));
      return textOf(found);
    },
  };
})();
"""

var _glue: JavaScriptObject
var _key := 0
var _shape := {}
var _error := ""
# The browser calls it as long as it is held here.
var _told: JavaScriptObject

# Opens the bundle that the bytes are, in place of what was open; `opened` comes when that is done.
func open_bytes(bytes: PackedByteArray) -> void:
	close()
	if not OS.has_feature("web"):
		_done.call_deferred([0, "viewcell_web is for web exports; elsewhere take the extension"])
		return
	JavaScriptBridge.eval(GLUE, true)
	_glue = JavaScriptBridge.get_interface("viewcellOfGodot")
	_told = JavaScriptBridge.create_callback(_done)
	_glue.open(package, Marshalls.raw_to_base64(bytes), _told)

func _done(told: Array) -> void:
	_key = int(told[0])
	_error = str(told[1])
	_shape = {} if _key == 0 else JSON.parse_string(_glue.shape(_key))
	if _error != "":
		push_error(_error)
	opened.emit(_error)

# Lets the bundle go.
func close() -> void:
	if _key != 0:
		_glue.close(_key)
	_key = 0
	_shape = {}
	_error = ""

func is_open() -> bool:
	return _key != 0

func error_text() -> String:
	return _error

func is_terrain() -> bool:
	return _shape.has("size")

func is_solid() -> bool:
	return _shape.get("solid", false)

func place_count() -> int:
	return int(_shape.get("places", 0))

# Columns and rows of a terrain.
func size() -> Vector2i:
	var sides: Array = _shape.get("size", [0, 0])
	return Vector2i(int(sides[0]), int(sides[1]))

# Metres between the columns and between the rows of a terrain.
func spacing() -> Vector2:
	var metres: Array = _shape.get("spacing", [0.0, 0.0])
	return Vector2(metres[0], metres[1])

# The place at a point in the bundle's own coordinates, or -1 where nobody can be: of a terrain, x metres east and z metres
# south of its first sample; of a level that was baked from Godot's export, those of the scene, of another the axes and units
# of its file.
func locate(point: Vector3) -> int:
	if _key == 0:
		return -1
	if is_terrain():
		return int(_glue.locate(_key, point.x, point.z, 0.0))
	return int(_glue.locate(_key, point.x, point.y, point.z))

# Whether somebody at one place may see somebody at another. Nowhere is hidden.
func visible(from: int, to: int) -> bool:
	var answers := visible_pairs(PackedInt64Array([from, to]))
	return answers.size() == 1 and answers[0] == 1

# Whether a player whose origin is at one point of a solid level may see any part of one whose origin is at another. Who is in
# no cell sees all and is seen by all.
func visible_points(from: Vector3, to: Vector3) -> bool:
	if not is_solid():
		push_error("visible_points: expected a bundle of a solid level to be open")
		return true
	return _glue.points(_key, from.x, from.y, from.z, to.x, to.y, to.z)

# Whether either of two players may see the other in a solid level on their paths, up to so far each. Errs towards true.
func visible_within(a: Vector3, b: Vector3, reach_a: float, reach_b: float) -> bool:
	if not is_solid():
		push_error("visible_within: expected a bundle of a solid level to be open")
		return true
	return _glue.within(_key, a.x, a.y, a.z, b.x, b.y, b.z, reach_a, reach_b)

# The box of positions of a player's origin that a cell of a solid level stands for; empty where there is none.
func bounds(cell: int) -> AABB:
	if not is_solid():
		return AABB()
	var corners: Array = JSON.parse_string(_glue.bounds(_key, cell))
	var low := Vector3(corners[0][0], corners[0][1], corners[0][2])
	return AABB(low, Vector3(corners[1][0], corners[1][1], corners[1][2]) - low)

# The same of many pairs of places as `visible`: from, to, from, to, and so on. Gives a 1 or a 0 for each.
func visible_pairs(pairs: PackedInt64Array) -> PackedByteArray:
	if pairs.size() % 2 == 1:
		push_error("visible_pairs: expected an even number of places, found an odd one")
		return PackedByteArray()
	if _key == 0 or pairs.is_empty():
		var hidden := PackedByteArray()
		hidden.resize(pairs.size() / 2)
		return hidden
	return Marshalls.base64_to_raw(_glue.pairs(_key, Marshalls.raw_to_base64(pairs.to_byte_array())))

func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		close()
