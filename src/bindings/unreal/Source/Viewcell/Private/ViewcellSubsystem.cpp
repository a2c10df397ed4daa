#include "ViewcellSubsystem.h"
#include "Engine/World.h"
#include "GameFramework/Pawn.h"
#include "HAL/FileManager.h"
#include "Misc/Paths.h"
#include "Modules/ModuleManager.h"
#include "ViewcellSightComponent.h"

DEFINE_LOG_CATEGORY_STATIC(LogViewcell, Log, All);

IMPLEMENT_MODULE(FDefaultModuleImpl, Viewcell)

static viewcell::Observers::Key KeyOf(const UViewcellSightComponent* Player)
{
	return reinterpret_cast<uintptr_t>(Player);
}

bool UViewcellSubsystem::Open(const FString& Path)
{
	Observers.reset();
	std::string Error;
	return Begin(Sight.open_level(TCHAR_TO_UTF8(*FPaths::ConvertRelativePathToFull(Path)), Error), Path, Error);
}

bool UViewcellSubsystem::Open(const FString& Path, const viewcell::Frame& Frame)
{
	Observers.reset();
	std::string Error;
	return Begin(Sight.open(TCHAR_TO_UTF8(*FPaths::ConvertRelativePathToFull(Path)), Frame, Error), Path, Error);
}

bool UViewcellSubsystem::Begin(bool bIsOpen, const FString& Path, const std::string& Error)
{
	if (!bIsOpen)
	{
		// The game goes on, everybody is sent, and someone reads the log.
		UE_LOG(LogViewcell, Warning, TEXT("%s: %s"), *Path, UTF8_TO_TCHAR(Error.c_str()));
		return false;
	}
	viewcell::ObserverOptions Options;
	Options.interval = Interval;
	Options.max_ahead = MaxAhead;
	Options.hold = Hold;
	Options.microseconds = static_cast<uint32_t>(FMath::Max(0, Microseconds));
	Options.players = static_cast<uint32_t>(FMath::Max(1, MostPlayers));
	Observers = std::make_unique<viewcell::Observers>(Sight, Options);
	return true;
}

void UViewcellSubsystem::OnWorldBeginPlay(UWorld& World)
{
	Super::OnWorldBeginPlay(World);
	const FString Path = FPaths::ProjectContentDir() / TEXT("Viewcell") / World.GetMapName() + TEXT(".vcb");
	if (World.GetNetMode() != NM_Client && World.IsGameWorld() && IFileManager::Get().FileExists(*Path))
	{
		Open(Path);
	}
}

void UViewcellSubsystem::Deinitialize()
{
	Observers.reset();
	Sight.close();
	Super::Deinitialize();
}

void UViewcellSubsystem::Add(UViewcellSightComponent* Player)
{
	Players.AddUnique(Player);
}

void UViewcellSubsystem::Remove(UViewcellSightComponent* Player)
{
	Players.Remove(Player);
}

void UViewcellSubsystem::Tick(float DeltaTime)
{
	Super::Tick(DeltaTime);
	// Worlds tick subsystems after actors have moved, and before anything is sent.
	if (!Observers)
	{
		return;
	}
	for (const UViewcellSightComponent* Player : Players)
	{
		Observers->put(KeyOf(Player), Player->Watched(), Player->RoundTrip());
	}
	Observers->update(GetWorld()->GetTimeSeconds());
}

TStatId UViewcellSubsystem::GetStatId() const
{
	RETURN_QUICK_DECLARE_CYCLE_STAT(UViewcellSubsystem, STATGROUP_Tickables);
}

bool UViewcellSubsystem::Observes(const UViewcellSightComponent* Viewer, const UViewcellSightComponent* Player) const
{
	return !Observers || Observers->observes(KeyOf(Viewer), KeyOf(Player));
}

bool UViewcellSubsystem::MaySee(const AActor* RealViewer, const AActor* ViewTarget, const AActor* Actor)
{
	const UWorld* World = Actor ? Actor->GetWorld() : nullptr;
	const UViewcellSubsystem* Subsystem = World ? World->GetSubsystem<UViewcellSubsystem>() : nullptr;
	const UViewcellSightComponent* Player = UViewcellSightComponent::Of(Actor);
	// Whoever looks through another player sees what that one sees; the dead and spectators look through no player.
	const UViewcellSightComponent* Viewer = ViewTarget ? ViewTarget->FindComponentByClass<UViewcellSightComponent>() : nullptr;
	if (!Subsystem || !Player || !Viewer || ViewTarget == RealViewer)
	{
		return true;
	}
	const APawn* Pawn = Cast<APawn>(ViewTarget);
	return !Pawn || Pawn->GetController() != RealViewer || Subsystem->Observes(Viewer, Player);
}
