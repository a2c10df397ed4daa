// Stand-ins for the types of Unreal Engine 5.5 that the plugin uses, written from the engine's public documentation: enough to compile
// the plugin, and to run it with a world of a few actors. Nothing of the engine is in them.

#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// What Unreal's header tool would write for a class: a header of the same name has it, a line each.
#define VIEWCELL_JOIN_(a, b) a##b
#define VIEWCELL_JOIN(a, b) VIEWCELL_JOIN_(a, b)
#define GENERATED_BODY() VIEWCELL_JOIN(GENERATED_BODY_, __LINE__)
#define UCLASS(...)
#define UENUM(...)
#define UPROPERTY(...)
#define VIEWCELL_API
#define DEFINE_LOG_CATEGORY_STATIC(...)
#define IMPLEMENT_MODULE(...)
#define RETURN_QUICK_DECLARE_CYCLE_STAT(...) return TStatId()
#define TEXT(x) L##x
#define LOCTEXT(key, words) FText::FromString(TEXT(words))
#define UE_LOG(category, verbosity, ...) Log(FString::Printf(__VA_ARGS__))

using TCHAR = wchar_t;
using int32 = int32_t;
using uint8 = uint8_t;
using uint32 = uint32_t;
constexpr int32 MAX_int32 = INT32_MAX;

// Text. UTF-8 of the tests is ASCII.
struct FToTchar {
    std::wstring text;
    explicit FToTchar(const char *of) : text(of, of + std::char_traits<char>::length(of)) {}
    const TCHAR *Get() const { return text.c_str(); }
};
struct FToUtf8 {
    std::string text;
    explicit FToUtf8(const TCHAR *of) { for (; *of; of++) text += static_cast<char>(*of); }
    const char *Get() const { return text.c_str(); }
};
#define UTF8_TO_TCHAR(x) FToTchar(x).Get()
#define TCHAR_TO_UTF8(x) FToUtf8(x).Get()

struct FString {
    std::wstring text;
    FString() = default;
    FString(const TCHAR *of) : text(of) {}
    const TCHAR *operator*() const { return text.c_str(); }
    FString operator+(const FString &of) const { return (text + of.text).c_str(); }
    FString operator/(const FString &of) const { return (text + L'/' + of.text).c_str(); }
    bool operator==(const FString &of) const { return text == of.text; }
    bool Contains(const TCHAR *of) const { return text.find(of) != std::wstring::npos; }
    static FString Printf(const TCHAR *format, ...) {
        // %s is of wide text in the engine.
        std::wstring wide;
        for (const TCHAR *at = format; *at; at++) {
            wide += *at;
            if (at[0] == L'%' && at[1] == L's') wide += L'l';
        }
        std::vector<TCHAR> room(1 << 20);
        va_list values;
        va_start(values, format);
        std::vswprintf(room.data(), room.size(), wide.c_str(), values);
        va_end(values);
        return room.data();
    }
};
using FName = FString;
struct FText {
    FString text;
    static FText FromString(const FString &of) { return {of}; }
};
struct FCStringAnsi {
    template <typename... Values> static void Snprintf(char *to, size_t size, const char *format, Values... values) { std::snprintf(to, size, format, values...); }
};
inline std::vector<std::string> LOGGED;
inline void Log(const FString &words) { LOGGED.push_back(TCHAR_TO_UTF8(*words)); }

// Containers.
template <typename T> struct TArray {
    std::vector<T> all;
    TArray() = default;
    TArray(std::initializer_list<T> of) : all(of) {}
    int32 Num() const { return static_cast<int32>(all.size()); }
    void Add(const T &of) { all.push_back(of); }
    void AddUnique(const T &of) { if (std::find(all.begin(), all.end(), of) == all.end()) all.push_back(of); }
    T &AddDefaulted_GetRef() { return all.emplace_back(); }
    int32 Remove(const T &of) {
        const size_t before = all.size();
        all.erase(std::remove(all.begin(), all.end(), of), all.end());
        return static_cast<int32>(before - all.size());
    }
    void Reset() { all.clear(); }
    T &operator[](int32 at) { return all.at(at); }
    const T &operator[](int32 at) const { return all.at(at); }
    auto begin() { return all.begin(); }
    auto end() { return all.end(); }
    auto begin() const { return all.begin(); }
    auto end() const { return all.end(); }
};
template <typename K, typename V> struct TMap {
    std::map<K, V> all;
    void Add(const K &key, const V &value) { all[key] = value; }
    V &FindOrAdd(const K &key) { return all[key]; }
    const V *Find(const K &key) const { const auto found = all.find(key); return found == all.end() ? nullptr : &found->second; }
    bool Contains(const K &key) const { return all.count(key) != 0; }
    V &operator[](const K &key) { return all.at(key); }
    void Remove(const K &key) { all.erase(key); }
    void Reset() { all.clear(); }
};
template <typename T> struct TArrayView {
    T *at;
    size_t count;
    TArrayView(T *of, size_t size) : at(of), count(size) {}
    T *begin() const { return at; }
    T *end() const { return at + count; }
};
template <typename T> struct TWeakObjectPtr {
    T *at = nullptr;
    TWeakObjectPtr &operator=(T *of) { at = of; return *this; }
    bool IsValid() const { return at != nullptr; }
    T *operator->() const { return at; }
};
struct FMath {
    template <typename T> static T Max(T a, T b) { return a > b ? a : b; }
};
struct TStatId {};

// Places.
struct FVector3f { float X, Y, Z; };
struct FVector {
    double X = 0, Y = 0, Z = 0;
    FVector() = default;
    FVector(double x, double y, double z) : X(x), Y(y), Z(z) {}
    explicit FVector(const FVector3f &of) : X(of.X), Y(of.Y), Z(of.Z) {}
    FVector operator*(const FVector &of) const { return {X * of.X, Y * of.Y, Z * of.Z}; }
};
struct FTransform {
    FVector Scale{1, 1, 1}, Location;
    FVector TransformPosition(const FVector &at) const { return {at.X * Scale.X + Location.X, at.Y * Scale.Y + Location.Y, at.Z * Scale.Z + Location.Z}; }
    double GetDeterminant() const { return Scale.X * Scale.Y * Scale.Z; }
    FString ToString() const { return FString::Printf(L"%f,%f,%f %f,%f,%f", Location.X, Location.Y, Location.Z, Scale.X, Scale.Y, Scale.Z); }
};

// Objects.
struct UObject {
    virtual ~UObject() = default;
    FString path = L"object";
    FString GetPathName() const { return path; }
    template <typename T> bool IsA() const { return dynamic_cast<const T *>(this) != nullptr; }
};
template <typename T, typename F> T *Cast(F *of) { return dynamic_cast<T *>(of); }
template <typename T, typename F> const T *Cast(const F *of) { return dynamic_cast<const T *>(of); }
template <typename T> T *MutableDefault() { static T one; return &one; }
template <typename T> const T *GetDefault() { return MutableDefault<T>(); }
struct UDeveloperSettings : UObject { FName CategoryName; };
namespace EEndPlayReason { enum Type { Destroyed }; }
namespace EComponentMobility { enum Type { Static, Stationary, Movable }; }
enum EBlendMode { BLEND_Opaque, BLEND_Masked, BLEND_Translucent };
enum ENetMode { NM_Standalone, NM_DedicatedServer, NM_ListenServer, NM_Client };

struct UWorld;
struct AActor;
struct UActorComponent : UObject {
    AActor *owner = nullptr;
    AActor *GetOwner() const { return owner; }
    inline UWorld *GetWorld() const;
    virtual void BeginPlay() {}
    virtual void EndPlay(EEndPlayReason::Type) {}
};
struct AActor : UObject {
    UWorld *world = nullptr;
    AActor *owner = nullptr, *parent = nullptr;
    std::vector<AActor *> attached;
    std::vector<UActorComponent *> components;
    FVector location, velocity;
    float halfHeight = 0;
    bool isHidden = false, hasDataLayers = false;
    std::vector<FName> tags;
    FVector GetActorLocation() const { return location; }
    FVector GetVelocity() const { return velocity; }
    float GetSimpleCollisionHalfHeight() const { return halfHeight; }
    UWorld *GetWorld() const { return world; }
    AActor *GetOwner() const { return owner; }
    AActor *GetAttachParentActor() const { return parent; }
    bool IsHidden() const { return isHidden; }
    bool HasDataLayers() const { return hasDataLayers; }
    bool ActorHasTag(const FName &of) const { return std::find(tags.begin(), tags.end(), of) != tags.end(); }
    void GetAttachedActors(TArray<AActor *> &to, bool reset, bool recursively) const {
        if (reset) to.Reset();
        for (AActor *of : attached) {
            to.Add(of);
            if (recursively) of->GetAttachedActors(to, false, true);
        }
    }
    template <typename T> T *FindComponentByClass() const {
        for (UActorComponent *of : components) if (T *found = dynamic_cast<T *>(of)) return found;
        return nullptr;
    }
    template <typename T> void GetComponents(TArray<T *> &to) const {
        for (UActorComponent *of : components) if (T *found = dynamic_cast<T *>(of)) to.Add(found);
    }
};
inline UWorld *UActorComponent::GetWorld() const { return owner->world; }

// Players.
struct UNetConnection : UObject {
    uint32 id = 0;
    uint32 GetParentConnectionId() const { return id; }
};
struct APlayerState : AActor {
    float ping = 0;
    float GetPingInMilliseconds() const { return ping; }
};
struct AController : AActor {};
struct APlayerController : AController {
    UNetConnection *connection = nullptr;
    AActor *target = nullptr;
    UNetConnection *GetNetConnection() const { return connection; }
    AActor *GetViewTarget() const { return target; }
};
struct APawn : AActor {
    AController *controller = nullptr;
    APlayerState *state = nullptr;
    AController *GetController() const { return controller; }
    APlayerState *GetPlayerState() const { return state; }
};
struct APlayerStart : AActor {};

// Worlds.
struct FWorldPartitionActorDescInstance {
    AActor *actor;
    AActor *GetActor() const { return actor; }
};
struct UWorldPartition : UObject { std::vector<AActor *> unloaded; };
struct UWorldSubsystem : UObject {
    UWorld *world = nullptr;
    UWorld *GetWorld() const { return world; }
    virtual void OnWorldBeginPlay(UWorld &) {}
    virtual void Deinitialize() {}
};
struct UTickableWorldSubsystem : UWorldSubsystem {
    virtual void Tick(float) {}
    virtual TStatId GetStatId() const { return {}; }
};
struct UWorld : UObject {
    FString name = L"l";
    ENetMode mode = NM_DedicatedServer;
    double time = 0;
    UWorldPartition *partition = nullptr;
    std::vector<AActor *> actors;
    std::vector<UWorldSubsystem *> subsystems;
    FString GetMapName() const { return name; }
    ENetMode GetNetMode() const { return mode; }
    bool IsGameWorld() const { return true; }
    double GetTimeSeconds() const { return time; }
    UWorldPartition *GetWorldPartition() const { return partition; }
    template <typename T> T *GetSubsystem() const {
        for (UWorldSubsystem *of : subsystems) if (T *found = dynamic_cast<T *>(of)) return found;
        return nullptr;
    }
};
template <typename T> struct TActorIterator {
    const std::vector<AActor *> &all;
    size_t at = 0;
    explicit TActorIterator(const UWorld *world) : all(world->actors) {}
    explicit operator bool() const { return at < all.size(); }
    TActorIterator &operator++() { at++; return *this; }
    T *operator*() const { return all[at]; }
};
struct FWorldPartitionHelpers {
    struct FForEachActorWithLoadingParams {};
    static void ForEachActorWithLoading(UWorldPartition *of, const std::function<bool(const FWorldPartitionActorDescInstance *)> &visit, const FForEachActorWithLoadingParams &) {
        for (AActor *actor : of->unloaded) {
            const FWorldPartitionActorDescInstance description{actor};
            if (!visit(&description)) return;
        }
    }
};

// Meshes.
struct FVertexID { int32 at = 0; int32 GetValue() const { return at; } };
struct FTriangleID { int32 at = 0; };
struct FPolygonGroupID { int32 at = 0; explicit FPolygonGroupID(int32 of = 0) : at(of) {} int32 GetValue() const { return at; } };
template <typename Id> struct FElements {
    std::vector<Id> ids;
    const std::vector<Id> &GetElementIDs() const { return ids; }
};
struct FMeshDescription {
    FElements<FVertexID> vertices;
    FElements<FTriangleID> triangles;
    std::vector<FVector3f> positions;
    std::vector<std::array<FVertexID, 3>> corners;
    std::vector<int32> groups;
    std::vector<FName> slots;
    const FElements<FVertexID> &Vertices() const { return vertices; }
    const FElements<FTriangleID> &Triangles() const { return triangles; }
    FPolygonGroupID GetTrianglePolygonGroup(FTriangleID of) const { return FPolygonGroupID(groups.at(of.at)); }
    TArrayView<const FVertexID> GetTriangleVertices(FTriangleID of) const { return {corners.at(of.at).data(), 3}; }
};
template <typename T> struct TVertexAttributesConstRef {
    const std::vector<T> *all;
    const T &operator[](FVertexID of) const { return all->at(of.at); }
};
struct FSlotNames {
    const std::vector<FName> *all;
    const FName &operator[](FPolygonGroupID of) const { return all->at(of.at); }
};
struct FStaticMeshConstAttributes {
    const FMeshDescription &mesh;
    explicit FStaticMeshConstAttributes(const FMeshDescription &of) : mesh(of) {}
    TVertexAttributesConstRef<FVector3f> GetVertexPositions() const { return {&mesh.positions}; }
    FSlotNames GetPolygonGroupMaterialSlotNames() const { return {&mesh.slots}; }
};
struct FStaticMeshAttributes {
    explicit FStaticMeshAttributes(FMeshDescription &) {}
    void Register() {}
};
struct FPositionVertexBuffer {
    std::vector<FVector3f> all;
    uint32 GetNumVertices() const { return static_cast<uint32>(all.size()); }
    const FVector3f &VertexPosition(uint32 at) const { return all.at(at); }
};
struct FIndexArrayView {
    const std::vector<uint32> *all;
    uint32 operator[](int32 at) const { return all->at(at); }
};
struct FIndices {
    std::vector<uint32> all;
    FIndexArrayView GetArrayView() const { return {&all}; }
};
struct FStaticMeshSection { int32 MaterialIndex; uint32 FirstIndex, NumTriangles; };
struct FStaticMeshLODResources {
    struct { FPositionVertexBuffer PositionVertexBuffer; } VertexBuffers;
    FIndices IndexBuffer;
    TArray<FStaticMeshSection> Sections;
};
struct FStaticMeshRenderData { TArray<FStaticMeshLODResources> LODResources; };
struct FStaticMeshSourceModel { struct { FVector BuildScale3D{1, 1, 1}; } BuildSettings; };
struct UStaticMesh : UObject {
    bool isNanite = false;
    FMeshDescription *source = nullptr;
    FStaticMeshSourceModel model;
    FStaticMeshRenderData drawn;
    std::vector<FName> slots;
    bool HasValidNaniteData() const { return isNanite; }
    FMeshDescription *GetMeshDescription(int32) { return source; }
    FStaticMeshSourceModel &GetSourceModel(int32) { return model; }
    const FStaticMeshRenderData *GetRenderData() const { return &drawn; }
    int32 GetMaterialIndexFromImportedMaterialSlotName(const FName &of) const {
        const auto found = std::find(slots.begin(), slots.end(), of);
        return found == slots.end() ? -1 : static_cast<int32>(found - slots.begin());
    }
};
struct UMaterialInterface : UObject {
    EBlendMode mode = BLEND_Opaque;
    EBlendMode GetBlendMode() const { return mode; }
};
struct UStaticMeshComponent : UActorComponent {
    EComponentMobility::Type Mobility = EComponentMobility::Static;
    bool bHiddenInGame = false, bRenderInMainPass = true, isVisible = true;
    float CachedMaxDrawDistance = 0;
    UStaticMesh *mesh = nullptr;
    FTransform transform;
    std::vector<UMaterialInterface *> materials;
    std::vector<FName> tags;
    UStaticMesh *GetStaticMesh() const { return mesh; }
    const FTransform &GetComponentTransform() const { return transform; }
    bool GetVisibleFlag() const { return isVisible; }
    bool ComponentHasTag(const FName &of) const { return std::find(tags.begin(), tags.end(), of) != tags.end(); }
    UMaterialInterface *GetMaterial(int32 at) const { return at >= 0 && at < static_cast<int32>(materials.size()) ? materials[at] : nullptr; }
};
struct USplineMeshComponent : UStaticMeshComponent {};
struct UInstancedStaticMeshComponent : UStaticMeshComponent {
    std::vector<FTransform> instances;
    int32 GetInstanceCount() const { return static_cast<int32>(instances.size()); }
    bool GetInstanceTransform(int32 at, FTransform &to, bool) const { to = instances.at(at); return true; }
};
struct AWorldPartitionHLOD : AActor {};
struct ALODActor : AActor {};
struct ALandscapeProxy : AActor {
    struct FRawMeshExportParams { int32 ExportLOD = INT_MIN; };
    FMeshDescription mesh;
    UMaterialInterface *material = nullptr;
    bool ExportToRawMesh(const FRawMeshExportParams &of, FMeshDescription &to) const { to = mesh; return of.ExportLOD == 0 && !mesh.positions.empty(); }
    UMaterialInterface *GetLandscapeMaterial() const { return material; }
};

// Iris.
struct UReplicationBridge : UObject {};
struct UObjectReplicationBridge : UReplicationBridge {
    UWorld *world = nullptr;
    UWorld *GetWorld() const { return world; }
};
struct UReplicationSystem : UObject {
    UReplicationBridge *bridge = nullptr;
    UReplicationBridge *GetReplicationBridge() const { return bridge; }
};
struct FNetBits {
    std::set<uint32> all;
    void SetBitValue(uint32 at, bool to) { if (to) all.insert(at); else all.erase(at); }
    template <typename F> void ForAllSetBits(F visit) const { for (const uint32 at : all) visit(at); }
};
namespace UE::Net {
struct FReplicationView {
    struct FView { FVector Pos; };
    TArray<FView> Views;
};
// Of an actor its number among those that are replicated; 0 is none.
struct FNetRefHandle {
    uint32 at = 0;
    bool IsValid() const { return at != 0; }
};
struct FReplicationSystemUtil {
    static inline std::map<const AActor *, uint32> numbers;
    static FNetRefHandle GetNetHandle(const AActor *of) { const auto found = numbers.find(of); return {found == numbers.end() ? 0 : found->second}; }
};
} // namespace UE::Net
struct FNetObjectFilterInitParams { UReplicationSystem *ReplicationSystem; };
struct FNetObjectFilterAddObjectParams {};
struct FNetObjectFilteringInfo {};
struct FNetObjectPreFilteringParams {};
struct FNetObjectFilteringParams {
    FNetBits OutAllowedObjects;
    uint32 ConnectionId = 0;
    UE::Net::FReplicationView View;
};
struct UNetObjectFilterConfig : UObject {};
struct UNetObjectFilter : UObject {
    FNetBits filtered;
    virtual void OnInit(const FNetObjectFilterInitParams &) = 0;
    virtual void OnDeinit() = 0;
    virtual void OnMaxInternalNetRefIndexIncreased(uint32) = 0;
    virtual bool AddObject(uint32, FNetObjectFilterAddObjectParams &) = 0;
    virtual void RemoveObject(uint32, const FNetObjectFilteringInfo &) = 0;
    virtual void PreFilter(FNetObjectPreFilteringParams &) {}
    virtual void Filter(FNetObjectFilteringParams &) {}
    uint32 GetObjectIndex(UE::Net::FNetRefHandle of) const { return of.at; }
    const FNetBits &GetFilteredObjects() const { return filtered; }
};

// The replication graph.
struct FNewReplicatedActorInfo { AActor *Actor; };
using FActorRepListRefView = TArray<AActor *>;
struct FNetViewer { AActor *InViewer, *ViewTarget; };
struct FGatheredReplicationActorLists {
    std::vector<const FActorRepListRefView *> lists;
    void AddReplicationActorList(const FActorRepListRefView &of) { lists.push_back(&of); }
};
struct FConnectionGatherActorListParameters {
    TArray<FNetViewer> Viewers;
    FGatheredReplicationActorLists &OutGatheredReplicationLists;
};
struct UReplicationGraphNode : UObject {
    virtual void NotifyAddNetworkActor(const FNewReplicatedActorInfo &) = 0;
    virtual bool NotifyRemoveNetworkActor(const FNewReplicatedActorInfo &, bool) = 0;
    virtual void NotifyResetAllNetworkActors() = 0;
    virtual void GatherActorListsForConnection(const FConnectionGatherActorListParameters &) = 0;
};

// Files and processes.
inline FString PROJECT = L"/nowhere";
struct FPaths {
    static FString ProjectContentDir() { return PROJECT / L"Content"; }
    static FString ProjectIntermediateDir() { return PROJECT / L"Intermediate"; }
    static FString ConvertRelativePathToFull(const FString &of) { return of; }
    static FString GetPath(const FString &of) { return of.text.substr(0, of.text.rfind(L'/')).c_str(); }
};
struct FGuid {
    static FGuid NewGuid() { return {}; }
    FString ToString() const { return L"guid"; }
};
struct IFileManager {
    static IFileManager &Get() { static IFileManager one; return one; }
    bool FileExists(const TCHAR *of) const { return std::filesystem::is_regular_file(of); }
    bool MakeDirectory(const TCHAR *of, bool) { std::error_code error; std::filesystem::create_directories(of, error); return !error; }
    bool Move(const TCHAR *to, const TCHAR *from, bool) { std::error_code error; std::filesystem::rename(from, to, error); return !error; }
    bool DeleteDirectory(const TCHAR *of, bool, bool) { std::filesystem::remove_all(of); return true; }
};
struct FFileHelper {
    static bool SaveArrayToFile(TArrayView<const uint8> of, const TCHAR *path) {
        std::error_code error;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
        std::ofstream file(std::filesystem::path(path), std::ios::binary);
        file.write(reinterpret_cast<const char *>(of.at), static_cast<std::streamsize>(of.count));
        return file.good();
    }
    static bool LoadFileToString(FString &to, const TCHAR *path) {
        std::ifstream file{std::filesystem::path(path)};
        std::stringstream all;
        all << file.rdbuf();
        to = UTF8_TO_TCHAR(all.str().c_str());
        return file.good();
    }
};
struct FProcHandle {
    pid_t process = 0;
    int status = 0;
    bool IsValid() const { return process > 0; }
};
struct FPlatformProcess {
    static void CreatePipe(void *&read, void *&write) {
        int ends[2];
        if (pipe(ends) != 0) std::abort();
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        read = reinterpret_cast<void *>(static_cast<intptr_t>(ends[0]));
        write = reinterpret_cast<void *>(static_cast<intptr_t>(ends[1]));
    }
    static int End(void *of) { return static_cast<int>(reinterpret_cast<intptr_t>(of)); }
    static void ClosePipe(void *read, void *write) { close(End(read)), close(End(write)); }
    static FProcHandle CreateProc(const TCHAR *program, const TCHAR *arguments, bool, bool, bool, uint32 *, int32, const TCHAR *, void *write) {
        const std::string name = TCHAR_TO_UTF8(program), line = "exec \"" + name + "\" " + TCHAR_TO_UTF8(arguments);
        if (access(name.c_str(), X_OK) != 0) return {};
        FProcHandle handle;
        handle.process = fork();
        if (handle.process == 0) {
            dup2(End(write), 1), dup2(End(write), 2);
            execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            _exit(127);
        }
        return handle;
    }
    static bool IsProcRunning(FProcHandle &of) { return waitpid(of.process, &of.status, WNOHANG) == 0; }
    static void WaitForProc(FProcHandle &of) { waitpid(of.process, &of.status, 0); }
    static void TerminateProc(FProcHandle &of, bool) { kill(of.process, SIGKILL); }
    static bool GetProcReturnCode(FProcHandle &of, int32 *code) { *code = WIFEXITED(of.status) ? WEXITSTATUS(of.status) : -1; return true; }
    static void CloseProc(FProcHandle &) {}
    static FString ReadPipe(void *read) {
        std::string all;
        char piece[4096];
        for (ssize_t count; (count = ::read(End(read), piece, sizeof piece)) > 0;) all.append(piece, static_cast<size_t>(count));
        return UTF8_TO_TCHAR(all.c_str());
    }
    static void Sleep(float seconds) { usleep(static_cast<useconds_t>(1e6f * seconds)); }
};

// The editor.
inline std::function<bool()> CANCELS;
inline std::vector<std::string> STAGES;
struct FScopedSlowTask {
    FScopedSlowTask(float, const FText &) {}
    void MakeDialog(bool) {}
    void EnterProgressFrame(float, const FText &of) { STAGES.push_back(TCHAR_TO_UTF8(*of.text)); }
    bool ShouldCancel() const { return CANCELS && CANCELS(); }
};
enum class EAppMsgType { Ok };
struct FMessageDialog { static void Open(EAppMsgType, const FText &) {} };
struct IModuleInterface {
    virtual ~IModuleInterface() = default;
    virtual void StartupModule() {}
    virtual void ShutdownModule() {}
};
struct FSlateIcon {};
struct FExecuteAction {
    static FExecuteAction CreateStatic(void (*)()) { return {}; }
};
struct FUIAction { explicit FUIAction(FExecuteAction) {} };
struct FToolMenuSection { void AddMenuEntry(const char *, const FText &, const FText &, FSlateIcon, FUIAction) {} };
struct UToolMenu {
    FToolMenuSection section;
    FToolMenuSection &FindOrAddSection(const char *, const FText &) { return section; }
};
struct FSimpleMulticastDelegate {
    struct FDelegate {
        template <typename T> static FDelegate CreateRaw(T *, void (T::*)()) { return {}; }
    };
};
struct UToolMenus {
    UToolMenu menu;
    static UToolMenus *Get() { static UToolMenus one; return &one; }
    UToolMenu *ExtendMenu(const char *) { return &menu; }
    static void RegisterStartupCallback(FSimpleMulticastDelegate::FDelegate) {}
    static void UnRegisterStartupCallback(const void *) {}
};
struct FWorldContext {
    UWorld *world = nullptr;
    UWorld *World() const { return world; }
};
struct UEditorEngine {
    FWorldContext context;
    FWorldContext &GetEditorWorldContext() { return context; }
};
inline UEditorEngine EDITOR;
inline UEditorEngine *GEditor = &EDITOR;
