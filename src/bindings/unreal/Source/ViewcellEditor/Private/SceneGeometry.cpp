#include "SceneGeometry.h"
#include "Components/InstancedStaticMeshComponent.h"
#include "Components/SplineMeshComponent.h"
#include "Components/StaticMeshComponent.h"
#include "Engine/LODActor.h"
#include "Engine/StaticMesh.h"
#include "Engine/World.h"
#include "EngineUtils.h"
#include "GameFramework/PlayerStart.h"
#include "LandscapeProxy.h"
#include "Materials/MaterialInterface.h"
#include "MeshDescription.h"
#include "StaticMeshAttributes.h"
#include "StaticMeshResources.h"
#include "ViewcellSettings.h"
#include "WorldPartition/HLOD/HLODActor.h"
#include "WorldPartition/WorldPartition.h"
#include "WorldPartition/WorldPartitionHelpers.h"

// What the soles of a place are lifted by, in cm, so that they touch no floor.
static constexpr double Lift = 5.0;

namespace
{

using Point = viewcell::LevelExport::Point;

// Triangles of one material, in the coordinates of their mesh.
struct FPart
{
	int32 Material = 0;
	std::vector<uint32_t> Indices;
};

struct FShape
{
	TArray<FVector> Corners;
	TArray<FPart> Parts;
};

class FCollector
{
public:
	FCollector(const UViewcellSettings& InSettings, FViewcellScene& InScene) : Settings(InSettings), Scene(InScene) {}

	void Take(AActor* Actor)
	{
		if (const APlayerStart* Start = Cast<APlayerStart>(Actor))
		{
			const FVector At = Start->GetActorLocation();
			Scene.Level.add_place({ At.X, At.Y, At.Z - Start->GetSimpleCollisionHalfHeight() + Lift });
			return;
		}
		// What stands in for others from afar would count twice, and coarsely.
		if (Actor->IsA<AWorldPartitionHLOD>() || Actor->IsA<ALODActor>() || Actor->ActorHasTag(Settings.IgnoreTag) || Actor->IsHidden())
		{
			return;
		}
		if (const ALandscapeProxy* Landscape = Cast<ALandscapeProxy>(Actor))
		{
			Take(*Landscape);
			return;
		}
		TArray<UStaticMeshComponent*> Components;
		Actor->GetComponents(Components);
		for (const UStaticMeshComponent* Component : Components)
		{
			if (Component->Mobility == EComponentMobility::Static && Component->GetVisibleFlag() && !Component->bHiddenInGame
				&& Component->bRenderInMainPass && !Component->ComponentHasTag(Settings.IgnoreTag) && Component->GetStaticMesh())
			{
				Take(*Actor, *Component);
			}
		}
	}

private:
	void Take(const AActor& Actor, const UStaticMeshComponent& Component)
	{
		const FString Name = Component.GetPathName();
		if (Component.IsA<USplineMeshComponent>())
		{
			Scene.Notes.Add(Name + TEXT(": left out: a spline bends its mesh"));
			return;
		}
		// What may be unloaded, or is not drawn from afar, does not hide always.
		bool bHides = true;
		if (Actor.HasDataLayers() || Component.CachedMaxDrawDistance > 0.0f)
		{
			bHides = false;
			Scene.Notes.Add(Name + TEXT(": hides nothing: it has a data layer, or a greatest distance of drawing"));
		}
		FShape Shape;
		if (!Read(*Component.GetStaticMesh(), Shape))
		{
			Scene.Notes.Add(Name + TEXT(": left out: its mesh has no geometry that can be read"));
			return;
		}
		if (const UInstancedStaticMeshComponent* Instances = Cast<UInstancedStaticMeshComponent>(&Component))
		{
			for (int32 Index = 0; Index < Instances->GetInstanceCount(); Index++)
			{
				FTransform At;
				if (Instances->GetInstanceTransform(Index, At, true))
				{
					Put(Name, Component, Shape, At, bHides);
				}
			}
			return;
		}
		Put(Name, Component, Shape, Component.GetComponentTransform(), bHides);
	}

	// A mesh as it is drawn near by: of Nanite its source, for what Nanite keeps for others is coarser than what is drawn.
	static bool Read(UStaticMesh& Mesh, FShape& Shape)
	{
		if (Mesh.HasValidNaniteData())
		{
			const FMeshDescription* Source = Mesh.GetMeshDescription(0);
			return Source && Read(*Source, Mesh, Shape);
		}
		const FStaticMeshRenderData* Drawn = Mesh.GetRenderData();
		if (!Drawn || Drawn->LODResources.Num() == 0)
		{
			return false;
		}
		const FStaticMeshLODResources& Near = Drawn->LODResources[0];
		const FPositionVertexBuffer& Positions = Near.VertexBuffers.PositionVertexBuffer;
		for (uint32 Index = 0; Index < Positions.GetNumVertices(); Index++)
		{
			Shape.Corners.Add(FVector(Positions.VertexPosition(Index)));
		}
		const FIndexArrayView Indices = Near.IndexBuffer.GetArrayView();
		for (const FStaticMeshSection& Section : Near.Sections)
		{
			FPart Part;
			Part.Material = Section.MaterialIndex;
			for (uint32 Index = 0; Index < 3 * Section.NumTriangles; Index++)
			{
				Part.Indices.push_back(Indices[Section.FirstIndex + Index]);
			}
			Shape.Parts.Add(Part);
		}
		return true;
	}

	static bool Read(const FMeshDescription& Source, UStaticMesh& Mesh, FShape& Shape)
	{
		Read(Source, Shape);
		const FVector Scale = Mesh.GetSourceModel(0).BuildSettings.BuildScale3D;
		for (FVector& Corner : Shape.Corners)
		{
			Corner = Corner * Scale;
		}
		const FStaticMeshConstAttributes Attributes(Source);
		for (FPart& Part : Shape.Parts)
		{
			const FName Slot = Attributes.GetPolygonGroupMaterialSlotNames()[FPolygonGroupID(Part.Material)];
			Part.Material = Mesh.GetMaterialIndexFromImportedMaterialSlotName(Slot);
			if (Scale.X * Scale.Y * Scale.Z < 0.0)
			{
				Turn(Part.Indices);
			}
		}
		return true;
	}

	// What is mirrored is drawn with its triangles turned round.
	static void Turn(std::vector<uint32_t>& Indices)
	{
		for (size_t Corner = 0; Corner + 2 < Indices.size(); Corner += 3)
		{
			std::swap(Indices[Corner + 1], Indices[Corner + 2]);
		}
	}

	// Parts are the groups of polygons, by their numbers.
	static void Read(const FMeshDescription& Mesh, FShape& Shape)
	{
		const FStaticMeshConstAttributes Attributes(Mesh);
		const TVertexAttributesConstRef<FVector3f> Positions = Attributes.GetVertexPositions();
		TMap<int32, uint32> NumberOf;
		for (const FVertexID Vertex : Mesh.Vertices().GetElementIDs())
		{
			NumberOf.Add(Vertex.GetValue(), Shape.Corners.Num());
			Shape.Corners.Add(FVector(Positions[Vertex]));
		}
		TMap<int32, int32> PartOf;
		for (const FTriangleID Triangle : Mesh.Triangles().GetElementIDs())
		{
			const int32 Group = Mesh.GetTrianglePolygonGroup(Triangle).GetValue();
			if (!PartOf.Contains(Group))
			{
				PartOf.Add(Group, Shape.Parts.Num());
				Shape.Parts.AddDefaulted_GetRef().Material = Group;
			}
			for (const FVertexID Vertex : Mesh.GetTriangleVertices(Triangle))
			{
				Shape.Parts[PartOf[Group]].Indices.push_back(NumberOf[Vertex.GetValue()]);
			}
		}
	}

	void Put(const FString& Name, const UStaticMeshComponent& Component, const FShape& Shape, const FTransform& At, bool bHides)
	{
		std::vector<Point> Corners;
		for (const FVector& Corner : Shape.Corners)
		{
			const FVector World = At.TransformPosition(Corner);
			Corners.push_back({ World.X, World.Y, World.Z });
		}
		for (int32 Index = 0; Index < Shape.Parts.Num(); Index++)
		{
			std::vector<uint32_t> Indices = Shape.Parts[Index].Indices;
			if (At.GetDeterminant() < 0.0)
			{
				Turn(Indices);
			}
			const UMaterialInterface* Material = Component.GetMaterial(Shape.Parts[Index].Material);
			// Masked materials have holes. Without a material a mesh is drawn with the engine's own, which is opaque, but is a mistake.
			const bool bIsOpaque = bHides && Material && Material->GetBlendMode() == BLEND_Opaque;
			Scene.Level.add(Label(Name, Index, At), Corners, Indices, bIsOpaque);
		}
	}

	void Take(const ALandscapeProxy& Landscape)
	{
		// With its holes, in world coordinates.
		FMeshDescription Mesh;
		FStaticMeshAttributes(Mesh).Register();
		ALandscapeProxy::FRawMeshExportParams Params;
		Params.ExportLOD = 0;
		if (!Landscape.ExportToRawMesh(Params, Mesh))
		{
			Scene.Notes.Add(Landscape.GetPathName() + TEXT(": left out: the landscape has no geometry"));
			return;
		}
		FShape Shape;
		Read(Mesh, Shape);
		std::vector<Point> Corners;
		for (const FVector& Corner : Shape.Corners)
		{
			Corners.push_back({ Corner.X, Corner.Y, Corner.Z });
		}
		const bool bIsOpaque = !Landscape.HasDataLayers() && Landscape.GetLandscapeMaterial() && Landscape.GetLandscapeMaterial()->GetBlendMode() == BLEND_Opaque;
		for (const FPart& Part : Shape.Parts)
		{
			Scene.Level.add(Label(Landscape.GetPathName(), Part.Material, FTransform()), Corners, Part.Indices, bIsOpaque);
		}
	}

	// What parts are sorted by: instances of one component lie at different places.
	static std::string Label(const FString& Name, int32 Part, const FTransform& At)
	{
		return TCHAR_TO_UTF8(*(Name + FString::Printf(TEXT(" %d "), Part) + At.ToString()));
	}

	const UViewcellSettings& Settings;
	FViewcellScene& Scene;
};

} // namespace

void CollectScene(UWorld* World, const UViewcellSettings& Settings, FViewcellScene& Scene)
{
	FCollector Collector(Settings, Scene);
	UWorldPartition* Partition = World->GetWorldPartition();
	if (!Partition)
	{
		for (TActorIterator<AActor> Actor(World); Actor; ++Actor)
		{
			Collector.Take(*Actor);
		}
		return;
	}
	// Cells that are not open in the editor, too. Collects garbage where memory is short.
	FWorldPartitionHelpers::ForEachActorWithLoading(Partition, [&Collector](const FWorldPartitionActorDescInstance* Description)
	{
		if (AActor* Actor = Description->GetActor())
		{
			Collector.Take(Actor);
		}
		return true;
	}, FWorldPartitionHelpers::FForEachActorWithLoadingParams());
}
