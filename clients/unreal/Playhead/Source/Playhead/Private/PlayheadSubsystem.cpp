#include "PlayheadSubsystem.h"

#include "Components/SceneComponent.h"
#include "Engine/StaticMesh.h"
#include "Engine/StaticMeshActor.h"
#include "Engine/World.h"
#include "GameFramework/Actor.h"
#include "GameFramework/PlayerController.h"
#include "Kismet/GameplayStatics.h"
#include "PlayheadComponent.h"

DEFINE_LOG_CATEGORY_STATIC(LogPlayhead, Log, All);

namespace
{
constexpr uint16 ActorType = 32;

/** What is recorded of an actor, and put back: in the engine's own precision. */
struct FActorPayload
{
    double Location[3];
    double Rotation[4]; // quaternion x, y, z, w
    double Scale[3];
    float Health;
    uint32 Reserved;
};

const playhead_field ActorFields[] = {
    {"location", "<f8", {3}, "cm", "position"},
    {"rotation", "<f8", {4}, nullptr, "rotation"},
    {"scale", "<f8", {3}, nullptr, nullptr},
    {"health", "<f4", {0}, nullptr, "health"},
    {"reserved", "<u4", {0}, nullptr, nullptr},
};

/** For showing: single precision, radians; roll about x, then pitch about y, then yaw about z. */
void Place(playhead_packet& Packet, const FTransform& Transform)
{
    const FVector At = Transform.GetLocation();
    const FRotator Turned = Transform.Rotator();
    for (int32 Axis = 0; Axis < 3; Axis++)
    {
        Packet.position[Axis] = static_cast<float>(At[Axis]);
    }
    Packet.angles[0] = static_cast<float>(FMath::DegreesToRadians(-Turned.Roll));
    Packet.angles[1] = static_cast<float>(FMath::DegreesToRadians(-Turned.Pitch));
    Packet.angles[2] = static_cast<float>(FMath::DegreesToRadians(Turned.Yaw));
}

UPlayheadSubsystem& Of(void* User)
{
    return *static_cast<UPlayheadSubsystem*>(User);
}
} // namespace

bool UPlayheadSubsystem::DoesSupportWorldType(const EWorldType::Type Type) const
{
    return Type == EWorldType::Game || Type == EWorldType::PIE;
}

void UPlayheadSubsystem::Initialize(FSubsystemCollectionBase& Collection)
{
    Super::Initialize(Collection);
    const FTCHARToUTF8 Url(*Gateway);
    playhead_options Options = {};
    Options.url = Url.Get();
    Options.name = "Unreal";
    Options.up = "z";
    Options.handedness = "left";
    Options.unit = "cm";
    Options.angles = "xyz";
    Options.pads = Pads;
    Options.on.user = this;
    Options.on.recording = [](void* User) { Of(User).BeginPhase(); };
    Options.on.paused = [](void* User) { Of(User).SetPaused(true); };
    Options.on.resumed = [](void* User) { Of(User).SetPaused(false); };
    Options.on.apply = [](void* User, const playhead_packet* Packet, const void* Payload, size_t) {
        Of(User).Apply(*Packet, Payload);
    };
    Options.on.hide = [](void* User, uint64_t Id) { Of(User).SetHidden(Id, true); };
    Options.on.unhide = [](void* User, uint64_t Id) { Of(User).SetHidden(Id, false); };
    Options.on.stand_in = [](void* User, const playhead_stand_in* Row) { Of(User).StandIn(*Row); };
    Options.on.remove_stand_in = [](void* User, uint64_t Id) { Of(User).RemoveStandIn(Id); };
    Options.on.look_at = [](void* User, uint64_t, const float* Position) {
        Of(User).LookAt(Position);
    };
    Options.on.error = [](void*, const char* Message) {
        UE_LOG(LogPlayhead, Warning, TEXT("%s"), UTF8_TO_TCHAR(Message));
    };
    Handle = Gateway.IsEmpty() ? nullptr : playhead_open(&Options);
    if (!Handle)
    {
        return;
    }
    playhead_type Type = {};
    Type.number = ActorType;
    Type.name = "actor";
    Type.fields = ActorFields;
    Type.field_count = UE_ARRAY_COUNT(ActorFields);
    Type.size = sizeof(FActorPayload);
    playhead_define_type(Handle, &Type);
    playhead_serve(
        Handle, "actor.health",
        [](void* User, playhead_call* Call) { return Of(User).CallHealth(*Call); }, this);
    Ticked = FWorldDelegates::OnWorldPostActorTick.AddUObject(this, &UPlayheadSubsystem::Record);
}

/** The level that is played is the run's phase. */
void UPlayheadSubsystem::BeginPhase()
{
    const FTCHARToUTF8 Name(*GetWorld()->GetMapName());
    playhead_phase(Handle, Name.Get());
}

/** {"id": 3, "health": 50}: gives an actor this health; returns the health before. */
const char* UPlayheadSubsystem::CallHealth(playhead_call& Call)
{
    double Id = 0, Health = 0;
    UPlayheadComponent* Component = nullptr;
    if (playhead_get_number(Call.argument, "id", &Id) && Id > 0)
    {
        Component = Find(static_cast<uint64>(Id));
    }
    if (!Component || !playhead_get_number(Call.argument, "health", &Health))
    {
        Call.error = "id: that of a recorded actor; health: a number";
        Call.refused = true;
        return nullptr;
    }
    FCStringAnsi::Snprintf(Answer, sizeof Answer, "%.9g", Component->Health);
    Component->Health = static_cast<float>(Health);
    return Answer;
}

void UPlayheadSubsystem::Deinitialize()
{
    FWorldDelegates::OnWorldPostActorTick.Remove(Ticked);
    playhead_close(Handle, 200);
    Handle = nullptr;
    Super::Deinitialize();
}

TStatId UPlayheadSubsystem::GetStatId() const
{
    RETURN_QUICK_DECLARE_CYCLE_STAT(UPlayheadSubsystem, STATGROUP_Tickables);
}

void UPlayheadSubsystem::Add(UPlayheadComponent* Component)
{
    Component->Id = NextId++;
    Components.Add(Component);
}

void UPlayheadSubsystem::Remove(UPlayheadComponent* Component)
{
    Components.RemoveSingle(Component); // keeps the others' order
    if (Handle)
    {
        playhead_despawn(Handle, Component->Id);
    }
}

UPlayheadComponent* UPlayheadSubsystem::Find(uint64 Id) const
{
    for (UPlayheadComponent* Component : Components)
    {
        if (Component->Id == Id)
        {
            return Component;
        }
    }
    return nullptr;
}

/** All actors have had their turn: what is recorded here is what this tick ended in. */
void UPlayheadSubsystem::Record(UWorld* World, ELevelTick, float DeltaTime)
{
    if (World != GetWorld() || World->IsPaused()
        || !playhead_begin_frame(Handle, World->GetTimeSeconds(), DeltaTime))
    {
        return;
    }
    for (UPlayheadComponent* Component : Components)
    {
        const FTransform Transform = Component->ShownComponent()->GetComponentTransform();
        const FVector At = Transform.GetLocation(), Scale = Transform.GetScale3D();
        const FQuat Turned = Transform.GetRotation();
        const FActorPayload Payload = {{At.X, At.Y, At.Z},
                                       {Turned.X, Turned.Y, Turned.Z, Turned.W},
                                       {Scale.X, Scale.Y, Scale.Z},
                                       Component->Health,
                                       0};
        playhead_packet Packet = {};
        Packet.id = Component->Id;
        Packet.type = ActorType;
        Packet.hidden = Component->GetOwner()->IsHidden();
        Place(Packet, Transform);
        playhead_add(Handle, &Packet, &Payload, sizeof Payload);
    }
    const playhead_pad_state Pad = Played ? playhead_pad(Handle, 0) : playhead_pad_state{};
    playhead_end_frame(Handle);
    if (Played)
    {
        ObservePlayed(World->GetTimeSeconds(), Pad);
    }
    playhead_update(Handle);
}

void UPlayheadSubsystem::SetPlayed(
    UPlayheadComponent* Component, TFunction<void(playhead_observation&)> Observe)
{
    Played = Component;
    OnObserve = MoveTemp(Observe);
    if (!Handle || !Component)
    {
        return;
    }
    Playable.player = Component->Id;
    if (!Playable.settings)
    {
        Playable.settings = "engine: {kind: unreal, sticks: player}"; // centimetres, yaw in degrees
    }
    playhead_serve_playable(Handle, &Playable);
}

/** What the player sees: place and heading here, the rest as the game says. */
void UPlayheadSubsystem::ObservePlayed(double Time, const playhead_pad_state& Pad)
{
    const FTransform Transform = Played->ShownComponent()->GetComponentTransform();
    const FVector At = Transform.GetLocation();
    playhead_observation Seen = {};
    Seen.position[0] = At.X;
    Seen.position[1] = At.Y;
    Seen.position[2] = At.Z;
    Seen.facing = Transform.Rotator().Yaw;
    if (OnObserve)
    {
        OnObserve(Seen);
    }
    playhead_observe(&Playable, Time, &Seen, &Pad);
}

void UPlayheadSubsystem::Tick(float)
{
    if (Handle && GetWorld()->IsPaused()) // else `Record` does it, right behind the frame
    {
        playhead_update(Handle);
    }
}

void UPlayheadSubsystem::SetPaused(bool bPaused)
{
    if (bPaused)
    {
        bWasPaused = UGameplayStatics::IsGamePaused(this);
    }
    UGameplayStatics::SetGamePaused(this, bPaused || bWasPaused);
    if (APlayerController* Player = GetWorld()->GetFirstPlayerController())
    {
        if (bPaused)
        {
            Player->DisableInput(Player);
        }
        else
        {
            Player->EnableInput(Player);
        }
    }
}

void UPlayheadSubsystem::Apply(const playhead_packet& Packet, const void* Payload)
{
    UPlayheadComponent* Component = Find(Packet.id);
    if (!Component)
    {
        return;
    }
    FActorPayload Stored;
    FMemory::Memcpy(&Stored, Payload, sizeof Stored);
    const FTransform Transform(
        FQuat(Stored.Rotation[0], Stored.Rotation[1], Stored.Rotation[2], Stored.Rotation[3]),
        FVector(Stored.Location[0], Stored.Location[1], Stored.Location[2]),
        FVector(Stored.Scale[0], Stored.Scale[1], Stored.Scale[2]));
    Component->ShownComponent()->SetWorldTransform(Transform, false, nullptr,
                                                   ETeleportType::TeleportPhysics);
    Component->Health = Stored.Health;
}

void UPlayheadSubsystem::SetHidden(uint64 Id, bool bHidden)
{
    UPlayheadComponent* Component = Find(Id);
    if (!Component)
    {
        return;
    }
    AActor* Actor = Component->GetOwner();
    if (bHidden)
    {
        WasHidden.FindOrAdd(Id, Actor->IsHidden());
        Actor->SetActorHiddenInGame(true);
    }
    else if (const bool* Before = WasHidden.Find(Id))
    {
        Actor->SetActorHiddenInGame(*Before);
        WasHidden.Remove(Id);
    }
}

void UPlayheadSubsystem::StandIn(const playhead_stand_in& Row)
{
    const FVector At(Row.position[0], Row.position[1], Row.position[2]);
    TObjectPtr<AActor>& Found = StandIns.FindOrAdd(Row.id);
    if (!Found)
    {
        AStaticMeshActor* Made =
            GetWorld()->SpawnActor<AStaticMeshActor>(At, FRotator::ZeroRotator);
        Made->SetMobility(EComponentMobility::Movable);
        Made->GetStaticMeshComponent()->SetStaticMesh(
            LoadObject<UStaticMesh>(nullptr, TEXT("/Engine/BasicShapes/Sphere.Sphere")));
        Made->SetActorEnableCollision(false);
        Found = Made;
    }
    Found->SetActorLocation(At);
    Found->SetActorHiddenInGame(!Row.visible);
}

void UPlayheadSubsystem::RemoveStandIn(uint64 Id)
{
    TObjectPtr<AActor> Found;
    if (StandIns.RemoveAndCopyValue(Id, Found) && Found)
    {
        Found->Destroy();
    }
}

void UPlayheadSubsystem::LookAt(const float Position[3])
{
    APlayerController* Player = GetWorld()->GetFirstPlayerController();
    if (!Player)
    {
        return;
    }
    FVector From;
    FRotator Before;
    Player->GetPlayerViewPoint(From, Before);
    const FVector To(Position[0], Position[1], Position[2]);
    Player->SetControlRotation((To - From).Rotation());
}
