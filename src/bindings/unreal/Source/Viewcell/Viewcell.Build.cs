using System.IO;
using UnrealBuildTool;

public class Viewcell : ModuleRules
{
	public Viewcell(ReadOnlyTargetRules Target) : base(Target)
	{
		PCHUsage = PCHUsageMode.UseExplicitOrSharedPCHs;
		CppStandard = CppStandardVersion.Cpp20;
		PublicDependencyModuleNames.AddRange(new string[] { "Core", "CoreUObject", "Engine", "NetCore", "ReplicationGraph" });
		SetupIrisSupport(Target);

		// The C library, as scripts/build-library makes it on each system.
		string Library = Path.Combine(ModuleDirectory, "..", "ThirdParty", "Viewcell");
		PublicIncludePaths.Add(Library);
		string Name = Target.Platform == UnrealTargetPlatform.Win64 ? "viewcell.lib" : "libviewcell.a";
		string Archive = Path.Combine(Library, Target.Platform.ToString(), Name);
		if (!File.Exists(Archive))
		{
			throw new BuildException("Viewcell: expected the library of " + Target.Platform + " at " + Archive + ", found nothing; build it there with scripts/build-library, and copy it");
		}
		PublicAdditionalLibraries.Add(Archive);
		if (Target.Platform == UnrealTargetPlatform.Win64)
		{
			// What Rust's standard library needs.
			PublicSystemLibraries.AddRange(new string[] { "ntdll.lib", "userenv.lib", "ws2_32.lib", "bcrypt.lib" });
		}
	}
}
