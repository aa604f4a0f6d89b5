/** Internal: consumer groups, with their members, rebalances and committed offsets. */
package io.firn.server.group;
