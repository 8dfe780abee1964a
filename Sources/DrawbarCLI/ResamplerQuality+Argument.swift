// SPDX-License-Identifier: MIT

public import ArgumentParser
public import RenderCore

/// `--resampler fast|good|best`.
extension ResamplerQuality: ExpressibleByArgument {}
