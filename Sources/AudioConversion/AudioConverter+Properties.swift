// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

extension AudioConverter {
  /// What the encoding needs besides the packets. `'dmgc'`
  public var magicCookie: [UInt8] { stream.magicCookie }

  /// Gives the decoder its magic cookie, and resets the converter.
  ///
  /// - Throws: `'prop'` for linear PCM, `'fmt?'` for a cookie that the decoder refuses; the old one is
  ///   then still in use.
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

  /// How good the rate conversion is. Numbers below `medium` are the resampler's fast quality, those
  /// below `maximum` its good one, `maximum` its best. `'srcq'`
  public var quality: Quality { chosenQuality }

  /// Chooses how good the rate conversion is, from the next ``reset()`` on if frames were given already.
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

  /// Which kind of rate conversion is wanted. With `linear` and `minimumPhase` the prime method is
  /// ignored, as in Core Audio. `'srca'`
  public var complexity: Complexity { chosenComplexity }

  /// Chooses the kind of rate conversion, from the next ``reset()`` on if frames were given already.
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

  /// How a rate conversion begins; effective from the next ``reset()`` on if frames were given
  /// already. `'prmm'`
  public var primeMethod: PrimeMethod {
    get { chosenPrimeMethod }
    set { chosenPrimeMethod = newValue }
  }

  var effectivePrimeMethod: PrimeMethod {
    chosenComplexity == .linear || chosenComplexity == .minimumPhase ? .normal : chosenPrimeMethod
  }

  /// Frames at the edges. For a decoder as set, at first none: an encoder's delay is not cut unless
  /// told. For a rate conversion of linear PCM, what its filter wants on either side. `'prim'`
  public var primeInfo: PrimeInfo {
    if decoder != nil || ratePlan == nil { return chosenPrimeInfo }
    return PrimeInfo(
      leadingFrames: UInt32(clamping: lookAhead), trailingFrames: UInt32(clamping: lookAhead))
  }

  /// Tells a decoder how many decoded frames to drop at the start of the stream, and after each
  /// ``reset()``: an encoder's priming frames, or those of a pre-roll after a seek. To be set before
  /// the first `fill`, or before a reset.
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
  /// The resampler's quality that stands for Core Audio's number.
  var resamplerQuality: ResamplerQuality {
    switch rawValue {
    case ..<Self.medium.rawValue: .fast
    case ..<Self.maximum.rawValue: .good
    default: .best
    }
  }
}
