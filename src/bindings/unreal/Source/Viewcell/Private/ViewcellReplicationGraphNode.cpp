#include "ViewcellReplicationGraphNode.h"
#include "ViewcellSightComponent.h"
#include "ViewcellSubsystem.h"

bool UViewcellReplicationGraphNode::Takes(const AActor* Actor)
{
	return UViewcellSightComponent::Of(Actor) != nullptr;
}

void UViewcellReplicationGraphNode::NotifyAddNetworkActor(const FNewReplicatedActorInfo& Actor)
{
	Actors.AddUnique(Actor.Actor);
}

bool UViewcellReplicationGraphNode::NotifyRemoveNetworkActor(const FNewReplicatedActorInfo& Actor, bool bWarnIfNotFound)
{
	return Actors.Remove(Actor.Actor) > 0;
}

void UViewcellReplicationGraphNode::NotifyResetAllNetworkActors()
{
	Actors.Reset();
}

void UViewcellReplicationGraphNode::GatherActorListsForConnection(const FConnectionGatherActorListParameters& Params)
{
	Gathered.Reset();
	for (AActor* Actor : Actors)
	{
		// Split screens have several viewers.
		bool bSent = Params.Viewers.Num() == 0;
		for (const FNetViewer& Viewer : Params.Viewers)
		{
			bSent = bSent || UViewcellSubsystem::MaySee(Viewer.InViewer, Viewer.ViewTarget, Actor);
		}
		if (bSent)
		{
			Gathered.Add(Actor);
		}
	}
	if (Gathered.Num() > 0)
	{
		Params.OutGatheredReplicationLists.AddReplicationActorList(Gathered);
	}
}
