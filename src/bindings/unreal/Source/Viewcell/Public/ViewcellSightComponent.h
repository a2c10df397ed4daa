// A player whom a server hides from those who cannot see them.

#pragma once

#include "CoreMinimal.h"
#include "Components/ActorComponent.h"
#include "ViewcellSight.h"
#include "ViewcellSightComponent.generated.h"

// Goes onto a pawn. What is attached to the pawn or owned by it is hidden with it.
UCLASS(ClassGroup = (Networking), meta = (BlueprintSpawnableComponent))
class VIEWCELL_API UViewcellSightComponent : public UActorComponent
{
	GENERATED_BODY()

public:
	// Greatest speeds along the ground, and up or down, in cm/s: dashes, falls and knock-back included.
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double SpeedAlong = 1000.0;
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double SpeedUp = 2000.0;

	// Greatest acceleration along the ground, and up or down, in cm/s^2, braking and gravity included. 0: no limit is known, and
	// players may turn at once.
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double AccelerationAlong = 0.0;
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double AccelerationUp = 0.0;

	// The greatest sudden changes of velocity of a fraction of a second, added up: jumps, knock-back, walls that are run into. Counts
	// where accelerations are limited.
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double ImpulseAlong = 1000.0;
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double ImpulseUp = 2000.0;

	// How high stairs may bring the player at once, in cm.
	UPROPERTY(EditAnywhere, Category = "Viewcell")
	double StepHeight = 45.0;

	// Where the player is, between the feet, and how they may move.
	virtual viewcell::Watched Watched() const;

	// The round trip to the player's client in seconds.
	virtual double RoundTrip() const;

	// The component of a player, or of the player who carries or owns an actor; null of what is no player.
	static UViewcellSightComponent* Of(const AActor* Actor);

protected:
	virtual void BeginPlay() override;
	virtual void EndPlay(const EEndPlayReason::Type Reason) override;
};
