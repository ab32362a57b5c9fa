// A world's end of the gateway: records all actors with a UPlayheadComponent after each tick, and
// carries out what the service orders.

#pragma once

#include "CoreMinimal.h"
#include "Subsystems/WorldSubsystem.h"
#include "playhead.h"
#include "playhead_playable.h"

#include "PlayheadSubsystem.generated.h"

class UPlayheadComponent;

UCLASS(Config = Game)
class PLAYHEAD_API UPlayheadSubsystem : public UTickableWorldSubsystem
{
    GENERATED_BODY()

public:
    /** DefaultGame.ini: [/Script/Playhead.PlayheadSubsystem] Gateway=ws://127.0.0.1:5671/?token=… */
    UPROPERTY(Config)
    FString Gateway;

    /** How many players' pads tools may hold: see `playhead_pad`, once for each tick. */
    UPROPERTY(Config)
    int32 Pads = 1;

    void Add(UPlayheadComponent* Component);
    void Remove(UPlayheadComponent* Component);

    /** Let the playthrough tester play this component's actor. Set before what `Playable` says of the
     *  game (columns, settings, debug functions, restart). `Observe` adds what the game knows: the
     *  event, enemies, items, the columns' values. */
    void SetPlayed(UPlayheadComponent* Component, TFunction<void(playhead_observation&)> Observe);
    playhead_playable Playable = {};

    /** For the rest: playhead_trace_state(Subsystem->Client(), …). Null if no gateway is set. */
    playhead* Client() const { return Handle; }

    virtual bool DoesSupportWorldType(const EWorldType::Type Type) const override;
    virtual void Initialize(FSubsystemCollectionBase& Collection) override;
    virtual void Deinitialize() override;
    virtual void Tick(float DeltaTime) override;
    virtual bool IsTickableWhenPaused() const override { return true; }
    virtual TStatId GetStatId() const override;

private:
    void Record(UWorld* World, ELevelTick Type, float DeltaTime);
    UPlayheadComponent* Find(uint64 Id) const;
    void Apply(const playhead_packet& Packet, const void* Payload);
    void SetHidden(uint64 Id, bool bHidden);
    void StandIn(const playhead_stand_in& Row);
    void RemoveStandIn(uint64 Id);
    void LookAt(const float Position[3]);
    void SetPaused(bool bPaused);
    void BeginPhase();
    const char* CallHealth(playhead_call& Call);
    void ObservePlayed(double Time, const playhead_pad_state& Pad);

    UPROPERTY()
    TArray<TObjectPtr<UPlayheadComponent>> Components; // in the order in which they began

    UPROPERTY()
    TMap<uint64, TObjectPtr<AActor>> StandIns;

    UPROPERTY()
    TObjectPtr<UPlayheadComponent> Played;

    TFunction<void(playhead_observation&)> OnObserve;
    TMap<uint64, bool> WasHidden; // of the actors that are hidden now
    FDelegateHandle Ticked;
    playhead* Handle = nullptr;
    uint64 NextId = 1;
    bool bWasPaused = false; // the game had paused itself
    char Answer[32] = {};    // of the newest call
};
