// The editor's menu: Build > Viewcell.

#include "Editor.h"
#include "LevelBaker.h"
#include "Misc/MessageDialog.h"
#include "Modules/ModuleManager.h"
#include "ToolMenus.h"

#define LOCTEXT_NAMESPACE "Viewcell"

class FViewcellEditorModule : public IModuleInterface
{
public:
	virtual void StartupModule() override
	{
		UToolMenus::RegisterStartupCallback(FSimpleMulticastDelegate::FDelegate::CreateRaw(this, &FViewcellEditorModule::AddMenu));
	}

	virtual void ShutdownModule() override
	{
		UToolMenus::UnRegisterStartupCallback(this);
	}

private:
	void AddMenu()
	{
		FToolMenuSection& Section = UToolMenus::Get()->ExtendMenu("LevelEditor.MainMenu.Build")->FindOrAddSection("Viewcell", LOCTEXT("Section", "Viewcell"));
		Section.AddMenuEntry("ViewcellBake", LOCTEXT("Bake", "Bake Who Sees Whom"), LOCTEXT("BakeTip", "Bakes the open level into Content/Viewcell"),
			FSlateIcon(), FUIAction(FExecuteAction::CreateStatic(&FViewcellEditorModule::Bake)));
		Section.AddMenuEntry("ViewcellCheck", LOCTEXT("Check", "Is the Bundle Up to Date?"), LOCTEXT("CheckTip", "Whether the level has changed since it was baked"),
			FSlateIcon(), FUIAction(FExecuteAction::CreateStatic(&FViewcellEditorModule::Check)));
	}

	static void Bake()
	{
		Say(BakeLevel(GEditor->GetEditorWorldContext().World()));
	}

	static void Check()
	{
		Say(CheckLevel(GEditor->GetEditorWorldContext().World()));
	}

	static void Say(const FViewcellBake& Result)
	{
		FMessageDialog::Open(EAppMsgType::Ok, FText::FromString(Result.Message));
	}
};

#undef LOCTEXT_NAMESPACE

IMPLEMENT_MODULE(FViewcellEditorModule, ViewcellEditor)
