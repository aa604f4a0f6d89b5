/**
 * Firn beside other embedded logs and hand-written floors, with equal payloads, each run in a JVM
 * of its own.
 */
package io.firn.bench.peers;
