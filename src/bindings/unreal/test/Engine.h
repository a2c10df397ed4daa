// Stand-ins for the types of Unreal Engine 5.5 that the plugin uses, written from the engine's public documentation: enough to compile
// the plugin, and to run it with a world of a few actors. Nothing of the engine is in them.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

// What Unreal's header tool would write for a class: a header of the same name has it, a line each.
#define VIEWCELL_JOIN_(a, b) a##b
#define VIEWCELL_JOIN(a, b) VIEWCELL_JOIN_(a, b)
#define GENERATED_BODY() VIEWCELL_JOIN(GENERATED_BODY_, __LINE__)
#define UCLASS(...)
#define UPROPERTY(...)
#define VIEWCELL_API
#define DEFINE_LOG_CATEGORY_STATIC(...)
#define IMPLEMENT_MODULE(...)
#define RETURN_QUICK_DECLARE_CYCLE_STAT(...) return TStatId()
#define TEXT(x) L##x
#define UE_LOG(category, verbosity, ...) Log(FString::Printf(__VA_ARGS__))

using TCHAR = wchar_t;
using int32 = int32_t;
using uint8 = uint8_t;
using uint32 = uint32_t;

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
struct FVector { double X = 0, Y = 0, Z = 0; };

// Objects.
struct UObject {
    virtual ~UObject() = default;
};
template <typename T, typename F> T *Cast(F *of) { return dynamic_cast<T *>(of); }
template <typename T, typename F> const T *Cast(const F *of) { return dynamic_cast<const T *>(of); }
namespace EEndPlayReason { enum Type { Destroyed }; }
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
    FVector GetActorLocation() const { return location; }
    FVector GetVelocity() const { return velocity; }
    float GetSimpleCollisionHalfHeight() const { return halfHeight; }
    UWorld *GetWorld() const { return world; }
    AActor *GetOwner() const { return owner; }
    AActor *GetAttachParentActor() const { return parent; }
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

// Worlds.
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
    std::vector<UWorldSubsystem *> subsystems;
    FString GetMapName() const { return name; }
    ENetMode GetNetMode() const { return mode; }
    bool IsGameWorld() const { return true; }
    double GetTimeSeconds() const { return time; }
    template <typename T> T *GetSubsystem() const {
        for (UWorldSubsystem *of : subsystems) if (T *found = dynamic_cast<T *>(of)) return found;
        return nullptr;
    }
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

// Files.
inline FString PROJECT = L"/nowhere";
struct IFileManager {
    static IFileManager &Get() { static IFileManager one; return one; }
    bool FileExists(const TCHAR *of) const { return std::filesystem::is_regular_file(of); }
};
struct FPaths {
    static FString ProjectContentDir() { return PROJECT / L"Content"; }
    static FString ConvertRelativePathToFull(const FString &of) { return of; }
};
