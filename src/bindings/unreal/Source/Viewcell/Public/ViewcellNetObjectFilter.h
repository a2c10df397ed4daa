// Iris: sends players to the connections whose players may see them.

#pragma once

#include "CoreMinimal.h"
#include "Iris/ReplicationSystem/Filtering/NetObjectFilter.h"
#include "ViewcellNetObjectFilter.generated.h"

class UViewcellSightComponent;
class UViewcellSubsystem;

UCLASS(Transient)
class VIEWCELL_API UViewcellNetObjectFilterConfig : public UNetObjectFilterConfig
{
	GENERATED_BODY()
};

// What has no sight component, and what belongs to nobody who has one, is sent.
UCLASS()
class VIEWCELL_API UViewcellNetObjectFilter : public UNetObjectFilter
{
	GENERATED_BODY()

protected:
	virtual void OnInit(const FNetObjectFilterInitParams& Params) override;
	virtual void OnDeinit() override;
	virtual void OnMaxInternalNetRefIndexIncreased(uint32 NewMaxInternalIndex) override {}
	virtual bool AddObject(uint32 ObjectIndex, FNetObjectFilterAddObjectParams& Params) override { return true; }
	virtual void RemoveObject(uint32 ObjectIndex, const FNetObjectFilteringInfo& Info) override { Players.Remove(ObjectIndex); }
	virtual void PreFilter(FNetObjectPreFilteringParams& Params) override;
	virtual void Filter(FNetObjectFilteringParams& Params) override;

private:
	const UViewcellSubsystem* Subsystem() const;
	void Know(const AActor* Actor, const UViewcellSightComponent* Player);

	TWeakObjectPtr<UReplicationSystem> System;
	// Of a tick: players by the index of each object that is theirs, and those who look through a connection.
	TMap<uint32, const UViewcellSightComponent*> Players;
	TMap<uint32, TArray<const UViewcellSightComponent*>> Viewers;
};
