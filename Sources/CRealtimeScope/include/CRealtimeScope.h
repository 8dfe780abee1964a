// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Marks the section of a thread that must be real-time safe. In a build with RealtimeSanitizer every allocation,
// lock and blocking system call between the two is reported; in any other build both are empty. They live in a .c
// file because code in a header does not see the target's defines.

__attribute__((swift_attr("@_noLocks"))) void drawbar_realtime_enter(void);
__attribute__((swift_attr("@_noLocks"))) void drawbar_realtime_exit(void);

/// 1 in a build with RealtimeSanitizer, else 0.
int drawbar_realtime_is_checked(void);

/// Ticks of a clock that costs a few nanoseconds to read, for timing the render path itself. It is the processor's
/// own counter if the kernel keeps its time by that (so it is steady, and the same on every processor), else
/// CLOCK_MONOTONIC_RAW (some 25 ns, vDSO). Never a system call.
__attribute__((swift_attr("@_noLocks"))) uint64_t drawbar_ticks(void);

/// Selects the clock of `drawbar_ticks`, which is CLOCK_MONOTONIC_RAW until then. Reads a file: not real-time. Call
/// it before anything is timed, on any thread, any number of times.
void drawbar_prepare_ticks(void);

/// Nanoseconds of CLOCK_MONOTONIC_RAW, the clock that jackd counts in. Read without a system call
/// (vDSO).
__attribute__((swift_attr("@_noLocks"))) uint64_t drawbar_monotonic_nanoseconds(void);

/// Sleeps for a fifth of a millisecond. An output's callback waits nowhere else, and here only while the server
/// freewheels: its cycles have no deadline then, and its threads are not real-time. The callback leaves the marked
/// section before it calls this.
__attribute__((swift_attr("@_noLocks"))) void drawbar_rest_freewheeling(void);

/// Whether a thread has kept its processor.
enum __attribute__((enum_extensibility(closed))) drawbar_preemption {
  /// The thread kept it all the time. An interrupt that returned to the thread counts as that.
  drawbar_preemption_none __attribute__((swift_name("none"))),
  /// Another thread ran there in between, or this one slept.
  drawbar_preemption_some __attribute__((swift_name("some"))),
  /// The kernel or the C library does not support the watch.
  drawbar_preemption_unknown __attribute__((swift_name("unknown"))),
} __attribute__((swift_name("Preemption")));

/// Makes the next two functions work. Call it before them, on any thread, any number of times.
void drawbar_prepare_preemption_watch(void);

/// Begins to watch whether the calling thread loses its processor. A store, not a system call: reading the thread's
/// processor time would take half a microsecond or more.
__attribute__((swift_attr("@_noLocks"))) void drawbar_watch_preemption(void);

/// Ends the watch.
///
/// - Returns: whether the thread has lost its processor since.
__attribute__((swift_attr("@_noLocks"))) enum drawbar_preemption drawbar_end_preemption_watch(void);

/// The arguments and results of a render callback: Core Audio's `ioActionFlags`, `inTimeStamp`, `inNumberFrames` and
/// `ioData` in one, and the frames that `AudioUnitRender` of the unit's input element would fetch. Valid during the
/// call; every field is set anew before each.
struct drawbar_render_call {
  /// This cycle's input frames (element 1): one buffer of `frameCount` samples for each input channel.
  /// Read-only: they may be another client's memory. For an input callback with its own format they are samples of
  /// that format; interleaved ones are in one buffer.
  const float *_Nonnull const *_Nonnull inputs;
  /// The number of input buffers, which is the output's number of input channels and may be 0.
  const intptr_t input_count __attribute__((swift_name("inputCount")));
  /// One buffer for each output channel, silent, with room for `frameCount` samples. One may be replaced
  /// by the address of the callback's own memory, which is then read right after the call.
  float *_Nonnull *_Nonnull outputs;
  /// The number of output buffers, which may be 0. The callback may lower it to the number it filled, 0 for none.
  intptr_t output_count __attribute__((swift_name("outputCount")));
  /// Frames wanted. The callback may lower it to the frames it wrote; the rest of the cycle is silent.
  intptr_t frame_count __attribute__((swift_name("frameCount")));
  /// The output's frame clock at the first of these frames: the sample time. Wraps at 2^32. For a callback with its
  /// own format: the number of earlier frames in that format.
  const uint32_t frame_time __attribute__((swift_name("frameTime")));
  /// Set to true by the callback if its output is silence, whatever is in the buffers
  /// (`kAudioUnitRenderAction_OutputIsSilence`). False at first.
  bool is_silent __attribute__((swift_name("isSilent")));
  /// The time when the output's callback was entered, in nanoseconds of the output's clock: the host time. For an
  /// input callback with its own format: the time when the first of these frames came in.
  const uint64_t host_nanoseconds __attribute__((swift_name("hostNanoseconds")));
} __attribute__((swift_name("RenderCall")));

/// A render callback of the caller's. If it returns anything but 0, its output is discarded.
typedef int32_t (*drawbar_render_callback)(
    void *_Nullable context, struct drawbar_render_call *_Nonnull call);

/// Calls a render callback. Only here does the render path run code that the compiler cannot check: it refuses a
/// call through a pointer in checked code, so the code that installs the callback is responsible for its safety.
__attribute__((swift_attr("@_noLocks"))) int32_t drawbar_call_render(
    drawbar_render_callback _Nonnull callback, void *_Nullable context,
    struct drawbar_render_call *_Nonnull call);
