/** Micro-benchmarks, their floors, tier scenarios, and comparisons with other systems. */
package io.firn.bench;
