// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

extension AudioConverter {
  /// The decoder's setup data beside the packets. `'dmgc'`
  public var magicCookie: [UInt8] { stream.magicCookie }

  /// Passes a magic cookie to the decoder, and resets the converter.
  ///
  /// - Throws: `'prop'` for linear PCM, `'fmt?'` for a cookie that the decoder refuses; the old one then stays
  ///   in use.
  public func setMagicCookie(_ cookie: [UInt8]) throws(AudioConversionError) {
    guard decoder != nil else {
      throw AudioConversionError(.propertyNotSupported, "linear PCM has no magic cookie")
    }
    var changed = stream
    changed.magicCookie = cookie
    let made = try InputDecoders.make(changed)
    stream = changed
    decoder = made
    reset()
    try adoptFormat(of: made)
  }

  /// The quality of the rate conversion. Numbers below `medium` are the resampler's fast quality, those below
  /// `maximum` its good one, `maximum` its best. `'srcq'`
  public var quality: Quality { chosenQuality }

  /// Sets the quality of the rate conversion, from the next ``reset()`` on if it has begun.
  ///
  /// - Throws: `'prop'` for a number above 0x7F.
  public func setQuality(_ quality: Quality) throws(AudioConversionError) {
    guard quality.rawValue <= Quality.maximum.rawValue else {
      throw AudioConversionError(
        .propertyNotSupported, "a quality is from 0 to 127, not \(quality.rawValue)")
    }
    chosenQuality = quality
    guard var plan = ratePlan else { return }
    plan.quality = quality.resamplerQuality
    lookAhead = try RateConverter.measuredLookAhead(plan)
    ratePlan = plan
  }

  /// The kind of rate conversion. With `linear` and `minimumPhase` the prime method is ignored, as in Core
  /// Audio. `'srca'`
  public var complexity: Complexity { chosenComplexity }

  /// Sets the kind of rate conversion, from the next ``reset()`` on if it has begun.
  ///
  /// - Throws: `'prop'` for an unknown kind.
  public func setComplexity(_ complexity: Complexity) throws(AudioConversionError) {
    switch complexity {
    case .linear, .normal, .mastering, .minimumPhase: chosenComplexity = complexity
    default:
      throw AudioConversionError(
        .propertyNotSupported, "there is no complexity '\(complexity.rawValue)'")
    }
  }

  /// The priming of a rate conversion; effective from the next ``reset()`` on if it has begun. `'prmm'`
  public var primeMethod: PrimeMethod {
    get { chosenPrimeMethod }
    set { chosenPrimeMethod = newValue }
  }

  var effectivePrimeMethod: PrimeMethod {
    chosenComplexity == .linear || chosenComplexity == .minimumPhase ? .normal : chosenPrimeMethod
  }

  /// Frames at the edges. For a decoder as set, none at first: an encoder's delay is cut only on request. For a
  /// rate conversion of linear PCM, the frames that its filter needs on either side. `'prim'`
  public var primeInfo: PrimeInfo {
    if decoder != nil || ratePlan == nil { return chosenPrimeInfo }
    return PrimeInfo(
      leadingFrames: UInt32(clamping: lookAhead), trailingFrames: UInt32(clamping: lookAhead))
  }

  /// Sets the number of decoded frames to drop at the start of the stream, and after each ``reset()``: an
  /// encoder's priming frames, or those of a pre-roll after a seek. Set it before the first `fill`, or before a
  /// reset.
  ///
  /// - Throws: `'prop'` for linear PCM.
  public func setPrimeInfo(_ info: PrimeInfo) throws(AudioConversionError) {
    guard decoder != nil else {
      throw AudioConversionError(
        .propertyNotSupported, "linear PCM has no priming frames of its own")
    }
    chosenPrimeInfo = info
    leadingFramesLeft = Int(info.leadingFrames)
  }
}

extension AudioConverter.Quality {
  /// The resampler's quality that corresponds to Core Audio's number.
  var resamplerQuality: ResamplerQuality {
    switch rawValue {
    case ..<Self.medium.rawValue: .fast
    case ..<Self.maximum.rawValue: .good
    default: .best
    }
  }
}
