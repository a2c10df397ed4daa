// Replication graph: sends players to the connections whose players may see them.

#pragma once

#include "CoreMinimal.h"
#include "ReplicationGraph.h"
#include "ViewcellReplicationGraphNode.generated.h"

class UViewcellSightComponent;

// One for all connections. The graph adds it by AddGlobalGraphNode, and routes to it those actors that it takes.
UCLASS()
class VIEWCELL_API UViewcellReplicationGraphNode : public UReplicationGraphNode
{
	GENERATED_BODY()

public:
	// Players, and what they carry or own.
	static bool Takes(const AActor* Actor);

	virtual void NotifyAddNetworkActor(const FNewReplicatedActorInfo& Actor) override;
	virtual bool NotifyRemoveNetworkActor(const FNewReplicatedActorInfo& Actor, bool bWarnIfNotFound = true) override;
	virtual void NotifyResetAllNetworkActors() override;
	virtual void GatherActorListsForConnection(const FConnectionGatherActorListParameters& Params) override;

private:
	TArray<AActor*> Actors;
	// What is gathered is not copied: it stays until the next connection is gathered for, when this one has been sent.
	FActorRepListRefView Gathered;
};
