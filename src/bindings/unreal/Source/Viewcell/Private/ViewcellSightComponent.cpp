#include "ViewcellSightComponent.h"
#include "Engine/World.h"
#include "GameFramework/Pawn.h"
#include "GameFramework/PlayerState.h"
#include "ViewcellSubsystem.h"

viewcell::Watched UViewcellSightComponent::Watched() const
{
	const AActor* Owner = GetOwner();
	const FVector At = Owner->GetActorLocation(), Velocity = Owner->GetVelocity();
	viewcell::Watched Of;
	Of.position = { At.X, At.Y, At.Z - Owner->GetSimpleCollisionHalfHeight() };
	Of.velocity = { Velocity.X, Velocity.Y, Velocity.Z };
	Of.has_velocity = true;
	Of.speed[0] = SpeedAlong;
	Of.speed[1] = SpeedUp;
	if (AccelerationAlong > 0.0 && AccelerationUp > 0.0)
	{
		Of.acceleration[0] = AccelerationAlong;
		Of.acceleration[1] = AccelerationUp;
		Of.impulse[0] = ImpulseAlong;
		Of.impulse[1] = ImpulseUp;
	}
	Of.step = StepHeight;
	return Of;
}

double UViewcellSightComponent::RoundTrip() const
{
	const APawn* Pawn = Cast<APawn>(GetOwner());
	const APlayerState* State = Pawn ? Pawn->GetPlayerState() : nullptr;
	return State ? State->GetPingInMilliseconds() / 1000.0 : 0.0;
}

UViewcellSightComponent* UViewcellSightComponent::Of(const AActor* Actor)
{
	// Owners and parents are few; a loop of them would be the game's fault, and is not waited for.
	for (int32 Depth = 0; Actor && Depth < 16; Depth++)
	{
		if (UViewcellSightComponent* Found = Actor->FindComponentByClass<UViewcellSightComponent>())
		{
			return Found;
		}
		const AActor* Parent = Actor->GetAttachParentActor();
		Actor = Parent ? Parent : Actor->GetOwner();
	}
	return nullptr;
}

void UViewcellSightComponent::BeginPlay()
{
	Super::BeginPlay();
	if (UViewcellSubsystem* Subsystem = GetWorld()->GetSubsystem<UViewcellSubsystem>())
	{
		Subsystem->Add(this);
	}
}

void UViewcellSightComponent::EndPlay(const EEndPlayReason::Type Reason)
{
	if (UViewcellSubsystem* Subsystem = GetWorld()->GetSubsystem<UViewcellSubsystem>())
	{
		Subsystem->Remove(this);
	}
	Super::EndPlay(Reason);
}
