#include "ViewcellNetObjectFilter.h"
#include "Engine/NetConnection.h"
#include "Engine/World.h"
#include "GameFramework/Pawn.h"
#include "GameFramework/PlayerController.h"
#include "Iris/ReplicationSystem/ObjectReplicationBridge.h"
#include "Iris/ReplicationSystem/ReplicationSystem.h"
#include "Net/Iris/ReplicationSystem/ReplicationSystemUtil.h"
#include "ViewcellSightComponent.h"
#include "ViewcellSubsystem.h"

void UViewcellNetObjectFilter::OnInit(const FNetObjectFilterInitParams& Params)
{
	System = Params.ReplicationSystem;
}

void UViewcellNetObjectFilter::OnDeinit()
{
	System = nullptr;
	Players.Reset();
	Viewers.Reset();
}

const UViewcellSubsystem* UViewcellNetObjectFilter::Subsystem() const
{
	const UObjectReplicationBridge* Bridge = System.IsValid() ? Cast<UObjectReplicationBridge>(System->GetReplicationBridge()) : nullptr;
	const UWorld* World = Bridge ? Bridge->GetWorld() : nullptr;
	return World ? World->GetSubsystem<UViewcellSubsystem>() : nullptr;
}

void UViewcellNetObjectFilter::Know(const AActor* Actor, const UViewcellSightComponent* Player)
{
	const UE::Net::FNetRefHandle Handle = UE::Net::FReplicationSystemUtil::GetNetHandle(Actor);
	if (Handle.IsValid())
	{
		Players.Add(GetObjectIndex(Handle), Player);
	}
}

void UViewcellNetObjectFilter::PreFilter(FNetObjectPreFilteringParams& Params)
{
	Players.Reset();
	Viewers.Reset();
	const UViewcellSubsystem* Sight = Subsystem();
	if (!Sight)
	{
		return;
	}
	for (const UViewcellSightComponent* Player : Sight->GetPlayers())
	{
		const AActor* Owner = Player->GetOwner();
		Know(Owner, Player);
		TArray<AActor*> Carried;
		Owner->GetAttachedActors(Carried, true, true);
		for (const AActor* Actor : Carried)
		{
			// Who rides on another player is a player.
			if (UViewcellSightComponent::Of(Actor) == Player)
			{
				Know(Actor, Player);
			}
		}
		const APawn* Pawn = Cast<APawn>(Owner);
		const APlayerController* Controller = Pawn ? Cast<APlayerController>(Pawn->GetController()) : nullptr;
		UNetConnection* Connection = Controller && Controller->GetViewTarget() == Owner ? Controller->GetNetConnection() : nullptr;
		if (Connection)
		{
			Viewers.FindOrAdd(Connection->GetParentConnectionId()).Add(Player);
		}
	}
}

void UViewcellNetObjectFilter::Filter(FNetObjectFilteringParams& Params)
{
	const UViewcellSubsystem* Sight = Subsystem();
	const TArray<const UViewcellSightComponent*>* Looking = Viewers.Find(Params.ConnectionId);
	// Split screens have several views. A view that is of no living player (a spectator, a camera) sees everything.
	const bool bAll = !Sight || !Looking || Looking->Num() < Params.View.Views.Num();
	GetFilteredObjects().ForAllSetBits([&](uint32 ObjectIndex)
	{
		const UViewcellSightComponent* const* Player = Players.Find(ObjectIndex);
		bool bSent = bAll || !Player;
		for (int32 Index = 0; !bSent && Index < Looking->Num(); Index++)
		{
			bSent = Sight->Observes((*Looking)[Index], *Player);
		}
		Params.OutAllowedObjects.SetBitValue(ObjectIndex, bSent);
	});
}
