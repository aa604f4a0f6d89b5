/**
 * Metrics of a store in a registry of Micrometer; begin with {@link
 * io.firn.micrometer.FirnMetrics}.
 */
package io.firn.micrometer;
