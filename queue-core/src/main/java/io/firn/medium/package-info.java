/** Files, mappings and locks under a tier: the real ones, and the interface for simulated ones. */
package io.firn.medium;
