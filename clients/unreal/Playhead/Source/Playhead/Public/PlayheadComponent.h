// Put it on an actor, and the actor is recorded.

#pragma once

#include "Components/ActorComponent.h"
#include "CoreMinimal.h"
#include "Engine/EngineTypes.h"

#include "PlayheadComponent.generated.h"

class USceneComponent;

UCLASS(ClassGroup = (Debugging), meta = (BlueprintSpawnableComponent))
class PLAYHEAD_API UPlayheadComponent : public UActorComponent
{
    GENERATED_BODY()

public:
    /** What is moved while you scrub; the actor's root if there is none. For an actor that the
     * physics engine simulates name its mesh: its body then stays where it is, caches and all. */
    UPROPERTY(EditAnywhere, Category = "playhead")
    FComponentReference Shown;

    /** A number of this actor that is recorded and put back with it. */
    UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "playhead")
    float Health = 100.0f;

    /** 1, 2, …: the subsystem's count, the same for as long as the actor lives. */
    uint64 Id = 0;

    USceneComponent* ShownComponent() const;

protected:
    virtual void BeginPlay() override;
    virtual void EndPlay(const EEndPlayReason::Type Reason) override;
};
