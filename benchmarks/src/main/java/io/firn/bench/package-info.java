/** Micro-benchmarks, the scenario harness, and peers side by side. */
package io.firn.bench;
