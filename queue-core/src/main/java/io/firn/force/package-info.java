/**
 * Group commit: one force makes durable what many appends have stored, and releases the callers
 * that wait for it. Main class: {@link io.firn.force.PartitionForcer}; {@link
 * io.firn.force.SegmentForcer} has the order of a force.
 */
package io.firn.force;
