// The C header's one implementation, in a file of its own: it brings the system's own headers.

#include "CoreMinimal.h"

#if PLATFORM_WINDOWS
#include "Windows/AllowWindowsPlatformTypes.h"
#endif

#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"
#include "playhead_playable.h"

#if PLATFORM_WINDOWS
#include "Windows/HideWindowsPlatformTypes.h"
#endif
