// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic on two doubles, or on four floats, in one register. Swift 6.3 compiles the operators of SIMD2<Double> to
// one instruction for each lane, and LLVM joins the lanes again only where each result has one use: a filter of three
// sections takes twice the time. The render thread may call these functions: they compute in registers.

/// Imported by Swift as SIMD2<Double>.
typedef double drawbar_pair __attribute__((ext_vector_type(2)));
/// Imported by Swift as SIMD4<Float>.
typedef float drawbar_quad __attribute__((ext_vector_type(4)));

#define DRAWBAR_PAIR_OPERATION \
  static inline __attribute__((always_inline, const, swift_attr("@_noLocks"))) drawbar_pair
#define DRAWBAR_QUAD_OPERATION \
  static inline __attribute__((always_inline, const, swift_attr("@_noLocks"))) drawbar_quad

// The compiler contracts no two of them to a fused operation, so every processor computes the same bits.
#pragma STDC FP_CONTRACT OFF

DRAWBAR_PAIR_OPERATION drawbar_pair_add(drawbar_pair a, drawbar_pair b) { return a + b; }
DRAWBAR_PAIR_OPERATION drawbar_pair_subtract(drawbar_pair a, drawbar_pair b) { return a - b; }
DRAWBAR_PAIR_OPERATION drawbar_pair_multiply(drawbar_pair a, drawbar_pair b) { return a * b; }

DRAWBAR_QUAD_OPERATION drawbar_quad_add(drawbar_quad a, drawbar_quad b) { return a + b; }
DRAWBAR_QUAD_OPERATION drawbar_quad_subtract(drawbar_quad a, drawbar_quad b) { return a - b; }
DRAWBAR_QUAD_OPERATION drawbar_quad_multiply(drawbar_quad a, drawbar_quad b) { return a * b; }
