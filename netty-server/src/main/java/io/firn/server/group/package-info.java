/**
 * Internal: consumer groups, with their members, rebalances and committed offsets. {@code
 * GroupCoordinator} has the classic protocol, {@code GroupFiles} what survives a restart, and
 * {@link io.firn.server.group.GroupHandlers} the handlers. Knows {@code log}, whose cursors the
 * offsets are, and no transactions but their offsets.
 */
package io.firn.server.group;
