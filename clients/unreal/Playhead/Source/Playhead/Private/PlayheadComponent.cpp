#include "PlayheadComponent.h"

#include "Components/SceneComponent.h"
#include "Engine/World.h"
#include "GameFramework/Actor.h"
#include "PlayheadSubsystem.h"

USceneComponent* UPlayheadComponent::ShownComponent() const
{
    USceneComponent* Found = Cast<USceneComponent>(Shown.GetComponent(GetOwner()));
    return Found ? Found : GetOwner()->GetRootComponent();
}

void UPlayheadComponent::BeginPlay()
{
    Super::BeginPlay();
    if (UPlayheadSubsystem* Subsystem = GetWorld()->GetSubsystem<UPlayheadSubsystem>())
    {
        Subsystem->Add(this);
    }
}

void UPlayheadComponent::EndPlay(const EEndPlayReason::Type Reason)
{
    if (UPlayheadSubsystem* Subsystem = GetWorld()->GetSubsystem<UPlayheadSubsystem>())
    {
        Subsystem->Remove(this);
    }
    Super::EndPlay(Reason);
}
