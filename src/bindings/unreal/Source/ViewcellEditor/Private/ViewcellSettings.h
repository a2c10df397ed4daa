// How levels are baked: Project Settings > Plugins > Viewcell.

#pragma once

#include "CoreMinimal.h"
#include "Engine/DeveloperSettings.h"
#include "ViewcellSettings.generated.h"

UENUM()
enum class EViewcellQuality : uint8
{
	Draft,
	Good,
	Best,
	Samples,
};

UCLASS(Config = Editor, DefaultConfig)
class UViewcellSettings : public UDeveloperSettings
{
	GENERATED_BODY()

public:
	UViewcellSettings() { CategoryName = TEXT("Plugins"); }

	// The program viewcell: a path, or a name that the system finds.
	UPROPERTY(Config, EditAnywhere, Category = "Bake")
	FString Program = TEXT("viewcell");

	// The body, in cm from the point between the feet.
	UPROPERTY(Config, EditAnywhere, Category = "Player")
	double Width = 68.0;
	UPROPERTY(Config, EditAnywhere, Category = "Player")
	double Height = 176.0;

	// Heights of the eye, in cm.
	UPROPERTY(Config, EditAnywhere, Category = "Player")
	double EyeCrouched = 95.0;
	UPROPERTY(Config, EditAnywhere, Category = "Player")
	double EyeStanding = 165.0;

	UPROPERTY(Config, EditAnywhere, Category = "Bake")
	EViewcellQuality Quality = EViewcellQuality::Good;

	// Actors and components with this tag are left out.
	UPROPERTY(Config, EditAnywhere, Category = "Bake")
	FName IgnoreTag = TEXT("ViewcellIgnore");

	// The options of `viewcell bake solid` that change its result; empty, and why, where players are none.
	std::string Arguments(std::string& Error) const;
};
