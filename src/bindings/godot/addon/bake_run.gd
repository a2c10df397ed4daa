# A run of the viewcell program that tells how far it is, and can be cancelled.
extends RefCounted

# The stage at work, how much of it is done, from 0 to 1, and what the program said for people.
var stage := ""
var done := 0.0
var words := ""
var _pid := -1
var _pipe: FileAccess
var _rest := ""

# Says why it could not be started, or nothing.
func start(program: String, arguments: PackedStringArray) -> String:
	var pipes := OS.execute_with_pipe(program, arguments + PackedStringArray(["--progress", "json"]), false)
	if pipes.is_empty():
		return "%s: cannot be run; give the path of the viewcell program" % program
	_pid = pipes["pid"]
	_pipe = pipes["stderr"]
	return ""

# To be called now and then: whether it has ended.
func poll() -> bool:
	# What it said before it ended is read after that.
	var has_ended := not OS.is_process_running(_pid)
	while true:
		var piece := _pipe.get_buffer(4096)
		if piece.is_empty():
			break
		read(piece.get_string_from_utf8())
	if has_ended and _rest != "":
		read("\n")
	return has_ended

# Its exit code, after it has ended.
func exit_code() -> int:
	return OS.get_process_exit_code(_pid)

func cancel() -> void:
	OS.kill(_pid)

# Takes what has come, in pieces of any length.
func read(piece: String) -> void:
	_rest += piece
	var lines := _rest.split("\n")
	_rest = lines[-1]
	for line in lines.slice(0, -1):
		var report: Variant = JSON.parse_string(line) if line.begins_with("{") else null
		if report is Dictionary and report.has_all(["stage", "done", "total"]):
			stage = report["stage"]
			done = float(report["done"]) / maxf(1.0, float(report["total"]))
		else:
			words += line + "\n"
