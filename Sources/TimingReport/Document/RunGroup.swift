// SPDX-License-Identifier: MIT

/// The repetitions of one measurement: runs of the same subject under the same conditions.
struct RunGroup {
  /// The subject and the conditions of the runs.
  struct Key: Hashable {
    var subject: String
    var conditions: TimingConditions
  }

  var key: Key
  /// At least one, in the order in which they ran.
  var runs: [TimingRun]

  /// Returns the groups of these runs, in the order of the first run of each.
  static func groups(of runs: [TimingRun]) -> [RunGroup] {
    var groups: [RunGroup] = []
    var places: [Key: Int] = [:]
    for run in runs {
      let key = Key(subject: run.subject, conditions: run.conditions)
      if let place = places[key] {
        groups[place].runs.append(run)
      } else {
        places[key] = groups.count
        groups.append(RunGroup(key: key, runs: [run]))
      }
    }
    return groups
  }
}
