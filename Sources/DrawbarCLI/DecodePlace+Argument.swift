// SPDX-License-Identifier: MIT

public import ArgumentParser
public import PlayerEngine

extension DecodePlace: ExpressibleByArgument {}
