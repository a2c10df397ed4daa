// What hides in a level: static meshes and landscapes; and where its players begin.

#pragma once

#include "CoreMinimal.h"
#include "LevelExport.h"

class UViewcellSettings;

struct FViewcellScene
{
	viewcell::LevelExport Level;
	// What was left out, and why.
	TArray<FString> Notes;
};

// All actors of a world. Those of World Partition are loaded one after the other, and let go.
void CollectScene(UWorld* World, const UViewcellSettings& Settings, FViewcellScene& Scene);
