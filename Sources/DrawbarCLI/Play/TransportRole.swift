// SPDX-License-Identifier: MIT

import ArgumentParser

/// `--transport follow|lead`.
enum TransportRole: String, CaseIterable, ExpressibleByArgument {
  /// The sound is where JACK's transport is.
  case follow
  /// JACK's transport is where the sound is.
  case lead
}
