#include "ViewcellSettings.h"

std::string UViewcellSettings::Arguments(std::string& Error) const
{
	static const char* const Names[] = { "draft", "good", "best", "samples" };
	if (!(Width > 0.0) || !(Height > 0.0) || !(EyeCrouched >= 0.0) || !(EyeCrouched <= EyeStanding) || !(EyeStanding <= Height))
	{
		Error = "expected a body of more than 0 cm, and eyes from crouched to standing, not above the head; see Project Settings > Plugins > Viewcell";
		return {};
	}
	char Text[256];
	// In metres: --hull and --eye are always in the level's own units.
	FCStringAnsi::Snprintf(Text, sizeof Text, "--from unreal --quality %s --hull %.6f,%.6f,0,%.6f,%.6f,%.6f --eye %.6f,%.6f",
		Names[static_cast<int32>(Quality)], Width / -200.0, Width / -200.0, Width / 200.0, Width / 200.0, Height / 100.0,
		EyeCrouched / 100.0, EyeStanding / 100.0);
	return Text;
}
