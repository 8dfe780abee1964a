// SPDX-License-Identifier: MIT

/// Which release this is.
public enum DrawbarVersion {
  /// The release's number, as in semantic versioning.
  public static let text = "0.1.0"
}
