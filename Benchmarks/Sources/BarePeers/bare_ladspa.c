// SPDX-License-Identifier: MIT
#include "BarePeers.h"

#include <dlfcn.h>
#include <glob.h>
#include <ladspa.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bare_equalizer {
  void *library;
  const LADSPA_Descriptor *plugin;
  LADSPA_Handle instance;
  // One value for each port; an audio port's value is unused.
  LADSPA_Data *controls;
  size_t period;
  float *input;
};

static const LADSPA_Descriptor *find_plugin(void *library, const char *label) {
  const LADSPA_Descriptor_Function function =
      (LADSPA_Descriptor_Function)dlsym(library, "ladspa_descriptor");
  if (function == NULL) return NULL;
  const LADSPA_Descriptor *plugin;
  for (unsigned long index = 0; (plugin = function(index)) != NULL; index++) {
    if (strcmp(plugin->Label, label) == 0) return plugin;
  }
  return NULL;
}

/// Sets the control with this name. Returns false if no port has the name.
static bool set_control(bare_equalizer *equalizer, const char *name, float value) {
  for (unsigned long port = 0; port < equalizer->plugin->PortCount; port++) {
    if (strcmp(equalizer->plugin->PortNames[port], name) == 0) {
      equalizer->controls[port] = value;
      return true;
    }
  }
  return false;
}

static bool set_band(bare_equalizer *equalizer, size_t band, bare_bell bell) {
  const struct {
    const char *name;
    float value;
  } controls[] = {
      {"Filter type", 1}, {"Frequency", bell.hertz}, {"Gain", bell.gain}, {"Quality factor", bell.q}};
  for (size_t index = 0; index < sizeof controls / sizeof controls[0]; index++) {
    const char *unit = strcmp(controls[index].name, "Frequency") == 0 ? " (Hz)"
                       : strcmp(controls[index].name, "Gain") == 0    ? " (G)"
                                                                      : "";
    char name[64];
    snprintf(name, sizeof name, "%s %zu%s", controls[index].name, band, unit);
    if (!set_control(equalizer, name, controls[index].value)) return false;
  }
  return true;
}

/// The default value of a port, for the kinds of hint that this plugin has.
static float default_value(const LADSPA_PortRangeHint hint) {
  switch (hint.HintDescriptor & LADSPA_HINT_DEFAULT_MASK) {
    case LADSPA_HINT_DEFAULT_1: return 1;
    case LADSPA_HINT_DEFAULT_MINIMUM: return hint.LowerBound;
    case LADSPA_HINT_DEFAULT_MAXIMUM: return hint.UpperBound;
    // A frequency or a gain, which a band that is off does not use.
    case LADSPA_HINT_DEFAULT_LOW:
    case LADSPA_HINT_DEFAULT_MIDDLE:
    case LADSPA_HINT_DEFAULT_HIGH: return hint.LowerBound;
    default: return 0;
  }
}

bare_equalizer *bare_equalizer_make(
    const bare_bell *bells, size_t count, size_t rate, size_t period, float *const *outputs) {
  bare_equalizer *equalizer = calloc(1, sizeof *equalizer);
  glob_t found = {0};
  if (glob("/usr/lib/ladspa/lsp-plugins-ladspa*.so", 0, NULL, &found) == 0) {
    equalizer->library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
  }
  globfree(&found);
  if (equalizer->library != NULL) {
    equalizer->plugin = find_plugin(
        equalizer->library, "http://lsp-plug.in/plugins/ladspa/para_equalizer_x16_stereo");
  }
  if (equalizer->plugin == NULL) goto failed;
  const LADSPA_Descriptor *plugin = equalizer->plugin;
  equalizer->instance = plugin->instantiate(plugin, rate);
  if (equalizer->instance == NULL) goto failed;
  equalizer->controls = calloc(plugin->PortCount, sizeof *equalizer->controls);
  equalizer->input = calloc(period, sizeof *equalizer->input);
  equalizer->period = period;
  size_t output = 0;
  for (unsigned long port = 0; port < plugin->PortCount; port++) {
    const LADSPA_PortDescriptor kind = plugin->PortDescriptors[port];
    if (LADSPA_IS_PORT_CONTROL(kind)) {
      equalizer->controls[port] = default_value(plugin->PortRangeHints[port]);
      plugin->connect_port(equalizer->instance, port, &equalizer->controls[port]);
    } else if (LADSPA_IS_PORT_INPUT(kind)) {
      plugin->connect_port(equalizer->instance, port, equalizer->input);
    } else if (output < 2) {
      plugin->connect_port(equalizer->instance, port, outputs[output++]);
    }
  }
  for (size_t band = 0; band < count; band++) {
    if (!set_band(equalizer, band, bells[band])) goto failed;
  }
  if (plugin->activate != NULL) plugin->activate(equalizer->instance);
  return equalizer;
failed:
  bare_equalizer_free(equalizer);
  return NULL;
}

void bare_equalizer_free(bare_equalizer *equalizer) {
  if (equalizer->instance != NULL) {
    if (equalizer->plugin->deactivate != NULL) equalizer->plugin->deactivate(equalizer->instance);
    equalizer->plugin->cleanup(equalizer->instance);
  }
  if (equalizer->library != NULL) dlclose(equalizer->library);
  free(equalizer->controls);
  free(equalizer->input);
  free(equalizer);
}

void bare_equalizer_run(bare_equalizer *equalizer, const float *input, size_t cycles) {
  for (size_t cycle = 0; cycle < cycles; cycle++) {
    memcpy(equalizer->input, input, equalizer->period * sizeof *input);
    equalizer->plugin->run(equalizer->instance, equalizer->period);
  }
}
