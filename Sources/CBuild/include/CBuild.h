// SPDX-License-Identifier: MIT
#pragma once

/// Returns the commit from which this was built, with a '+' if files had been changed; an empty string outside of a git
/// repository.
const char *_Nonnull drawbar_commit(void);
