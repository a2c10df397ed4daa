// Bakes the open level: exports it, runs the viewcell program, and keeps the bundle with a digest of what it was baked from.

#pragma once

#include "CoreMinimal.h"

struct FViewcellBake
{
	bool bIsDone = false;
	// Of a bake what was baked, or why it was not. Of a check whether the bundle is up to date.
	FString Message;
};

// Shows how far it is, and can be cancelled; the bundle is then as it was.
FViewcellBake BakeLevel(UWorld* World);

// Whether the bundle is of the level as it is: done if so.
FViewcellBake CheckLevel(UWorld* World);
