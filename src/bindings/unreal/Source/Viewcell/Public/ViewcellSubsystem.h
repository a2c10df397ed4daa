// Who observes whom in a world: its bundle, its players, and an update each tick of the server.

#pragma once

#include <memory>

#include "CoreMinimal.h"
#include "Subsystems/WorldSubsystem.h"
#include "ViewcellObservers.h"
#include "ViewcellSubsystem.generated.h"

class APlayerController;
class UViewcellSightComponent;

// Opens Content/Viewcell/<map>.vcb when the world begins on a server. Without a bundle everybody is sent.
UCLASS(Config = Game)
class VIEWCELL_API UViewcellSubsystem : public UTickableWorldSubsystem
{
	GENERATED_BODY()

public:
	// As viewcell::ObserverOptions has them; from DefaultGame.ini, [/Script/Viewcell.ViewcellSubsystem].
	UPROPERTY(Config)
	double Interval = 0.1;
	UPROPERTY(Config)
	double MaxAhead = 0.3;
	UPROPERTY(Config)
	double Hold = 1.0;
	UPROPERTY(Config)
	int32 Microseconds = 500;
	UPROPERTY(Config)
	int32 MostPlayers = 128;

	// Opens a bundle in place of that of the map: of a level that was baked from Unreal, or, with a frame, of a terrain.
	bool Open(const FString& Path);
	bool Open(const FString& Path, const viewcell::Frame& Frame);

	void Add(UViewcellSightComponent* Player);
	void Remove(UViewcellSightComponent* Player);
	const TArray<UViewcellSightComponent*>& GetPlayers() const { return Players; }

	// Whether the client whose player is one is to be told of the other.
	bool Observes(const UViewcellSightComponent* Viewer, const UViewcellSightComponent* Player) const;

	// The same of actors, for AActor::IsNetRelevantFor: true where either is no player, or looks through somebody else.
	static bool MaySee(const AActor* RealViewer, const AActor* ViewTarget, const AActor* Actor);

	virtual void OnWorldBeginPlay(UWorld& World) override;
	virtual void Deinitialize() override;
	virtual void Tick(float DeltaTime) override;
	virtual TStatId GetStatId() const override;

private:
	bool Begin(bool bIsOpen, const FString& Path, const std::string& Error);

	viewcell::Sight Sight;
	std::unique_ptr<viewcell::Observers> Observers;
	TArray<UViewcellSightComponent*> Players;
};
