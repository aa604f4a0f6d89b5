/** Consumer groups: members, rebalances, committed offsets. */
package io.firn.server.group;
