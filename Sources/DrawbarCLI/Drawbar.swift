// SPDX-License-Identifier: MIT

import ArgumentParser

@main
struct Drawbar: ParsableCommand {}
