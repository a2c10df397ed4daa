using UnrealBuildTool;

public class ViewcellEditor : ModuleRules
{
	public ViewcellEditor(ReadOnlyTargetRules Target) : base(Target)
	{
		PCHUsage = PCHUsageMode.UseExplicitOrSharedPCHs;
		CppStandard = CppStandardVersion.Cpp20;
		PrivateDependencyModuleNames.AddRange(new string[]
		{
			"Core", "CoreUObject", "DeveloperSettings", "Engine", "Landscape", "MeshDescription", "RenderCore",
			"StaticMeshDescription", "Slate", "SlateCore", "ToolMenus", "UnrealEd", "Viewcell",
		});
	}
}
