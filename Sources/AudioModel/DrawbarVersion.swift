// SPDX-License-Identifier: MIT

/// The release of Drawbar.
public enum DrawbarVersion {
  /// The release's number in semantic versioning.
  public static let text = "0.1.0"
}
