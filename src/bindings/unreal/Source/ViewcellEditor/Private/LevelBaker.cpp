#include "LevelBaker.h"
#include "BakeProgress.h"
#include "Engine/World.h"
#include "HAL/FileManager.h"
#include "HAL/PlatformProcess.h"
#include "Misc/FileHelper.h"
#include "Misc/Guid.h"
#include "Misc/Paths.h"
#include "Misc/ScopedSlowTask.h"
#include "SceneGeometry.h"
#include "ViewcellSettings.h"

#define LOCTEXT_NAMESPACE "Viewcell"

DEFINE_LOG_CATEGORY_STATIC(LogViewcellEditor, Log, All);

namespace
{

FString BundleOf(const UWorld* World)
{
	return FPaths::ConvertRelativePathToFull(FPaths::ProjectContentDir() / TEXT("Viewcell") / World->GetMapName() + TEXT(".vcb"));
}

bool Save(const std::string& Text, const FString& Path)
{
	// The engine's arrays have as many bytes.
	return Text.size() <= static_cast<size_t>(MAX_int32)
		&& FFileHelper::SaveArrayToFile(TArrayView<const uint8>(reinterpret_cast<const uint8*>(Text.data()), static_cast<int32>(Text.size())), *Path);
}

// The level, or why it cannot be baked.
bool Collect(UWorld* World, const UViewcellSettings& Settings, FViewcellScene& Scene, std::string& Arguments, FString& Error)
{
	std::string Why;
	Arguments = Settings.Arguments(Why);
	if (Arguments.empty())
	{
		Error = UTF8_TO_TCHAR(Why.c_str());
		return false;
	}
	CollectScene(World, Settings, Scene);
	if (Scene.Level.triangles() == 0)
	{
		Error = TEXT("nothing in the level hides: expected static meshes whose mobility is Static, or a landscape");
		return false;
	}
	if (Scene.Level.places() == 0)
	{
		Error = TEXT("no place is known where players can be: add a Player Start");
		return false;
	}
	return true;
}

enum class ERun { Done, Failed, Cancelled };

// What the program says goes into Words.
ERun Run(const FString& Program, const FString& Arguments, FString& Words)
{
	void* Read = nullptr;
	void* Write = nullptr;
	FPlatformProcess::CreatePipe(Read, Write);
	FProcHandle Process = FPlatformProcess::CreateProc(*Program, *Arguments, false, true, true, nullptr, 0, nullptr, Write);
	if (!Process.IsValid())
	{
		FPlatformProcess::ClosePipe(Read, Write);
		Words = Program + TEXT(": cannot be run; give the path of the viewcell program in Project Settings > Plugins > Viewcell");
		return ERun::Failed;
	}
	FScopedSlowTask Task(1.0f, LOCTEXT("Baking", "viewcell"));
	Task.MakeDialog(true);
	viewcell::BakeProgress Progress;
	std::string Stage;
	double Shown = 0.0;
	bool bIsRunning = true, bIsCancelled = false;
	while (bIsRunning && !bIsCancelled)
	{
		// What it said before it ended is read after that.
		bIsRunning = FPlatformProcess::IsProcRunning(Process);
		Progress.read(TCHAR_TO_UTF8(*FPlatformProcess::ReadPipe(Read)));
		// Each stage begins at nothing; the bar only ever grows.
		const double Forward = FMath::Max(0.0, Progress.stage == Stage ? Progress.done - Shown : 0.0);
		Stage = Progress.stage;
		Shown = Progress.done;
		Task.EnterProgressFrame(static_cast<float>(Forward), FText::FromString(UTF8_TO_TCHAR(Stage.c_str())));
		bIsCancelled = Task.ShouldCancel();
		if (bIsRunning && !bIsCancelled)
		{
			FPlatformProcess::Sleep(0.1f);
		}
	}
	int32 Code = -1;
	if (bIsCancelled)
	{
		FPlatformProcess::TerminateProc(Process, true);
		FPlatformProcess::WaitForProc(Process);
	}
	else
	{
		FPlatformProcess::GetProcReturnCode(Process, &Code);
	}
	FPlatformProcess::CloseProc(Process);
	FPlatformProcess::ClosePipe(Read, Write);
	Progress.finish();
	Words = UTF8_TO_TCHAR(Progress.words.c_str());
	return bIsCancelled ? ERun::Cancelled : Code == 0 ? ERun::Done : ERun::Failed;
}

} // namespace

FViewcellBake BakeLevel(UWorld* World)
{
	const UViewcellSettings& Settings = *GetDefault<UViewcellSettings>();
	FViewcellScene Scene;
	FViewcellBake Bake;
	std::string Arguments;
	if (!Collect(World, Settings, Scene, Arguments, Bake.Message))
	{
		return Bake;
	}
	const FString Folder = FPaths::ConvertRelativePathToFull(FPaths::ProjectIntermediateDir() / TEXT("Viewcell") / FGuid::NewGuid().ToString());
	const FString Bundle = BundleOf(World), Baked = Folder / TEXT("level.vcb");
	IFileManager& Files = IFileManager::Get();
	const std::string Digest = Scene.Level.digest(Arguments);
	if (!Save(Scene.Level.obj(), Folder / TEXT("level.obj")) || !Save(viewcell::LevelExport::mtl(), Folder / TEXT("level.mtl"))
		|| !Save(Scene.Level.csv(), Folder / TEXT("places.csv")))
	{
		Bake.Message = Folder + TEXT(": the level cannot be written there");
	}
	else
	{
		FString Words;
		const FString Line = FString::Printf(TEXT("bake solid \"%s\" -o \"%s\" --no-checkpoint --progress json --reach \"%s\" %s"),
			*(Folder / TEXT("level.obj")), *Baked, *(Folder / TEXT("places.csv")), UTF8_TO_TCHAR(Arguments.c_str()));
		switch (Run(Settings.Program, Line, Words))
		{
		case ERun::Cancelled:
			Bake.Message = TEXT("cancelled; the bundle is as it was");
			break;
		case ERun::Failed:
			Bake.Message = Words;
			break;
		case ERun::Done:
			// A bundle that is open must not be written to: another takes its name, and then the digest is kept.
			Files.MakeDirectory(*FPaths::GetPath(Bundle), true);
			Bake.bIsDone = Files.Move(*Bundle, *Baked, true) && Save(Digest, Bundle + TEXT(".digest"));
			Bake.Message = Bake.bIsDone
				? FString::Printf(TEXT("baked %d triangles, from %d places: %s"), static_cast<int32>(Scene.Level.triangles()), static_cast<int32>(Scene.Level.places()), *Bundle)
				: Bundle + TEXT(": cannot be written; is it open in a game?");
			UE_LOG(LogViewcellEditor, Log, TEXT("%s"), *Words);
			break;
		}
	}
	Files.DeleteDirectory(*Folder, false, true);
	for (const FString& Note : Scene.Notes)
	{
		UE_LOG(LogViewcellEditor, Warning, TEXT("%s"), *Note);
	}
	return Bake;
}

FViewcellBake CheckLevel(UWorld* World)
{
	FViewcellScene Scene;
	FViewcellBake Check;
	std::string Arguments;
	if (!Collect(World, *GetDefault<UViewcellSettings>(), Scene, Arguments, Check.Message))
	{
		return Check;
	}
	const FString Bundle = BundleOf(World);
	FString Kept;
	if (!IFileManager::Get().FileExists(*Bundle) || !FFileHelper::LoadFileToString(Kept, *(Bundle + TEXT(".digest"))))
	{
		Check.Message = TEXT("this level has not been baked");
		return Check;
	}
	Check.bIsDone = Kept == UTF8_TO_TCHAR(Scene.Level.digest(Arguments).c_str());
	Check.Message = Check.bIsDone ? TEXT("up to date") : TEXT("stale: the level or the options have changed since the bake");
	return Check;
}

#undef LOCTEXT_NAMESPACE
