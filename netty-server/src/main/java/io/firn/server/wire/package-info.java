/**
 * Internal: connections, requests and responses, from a socket to a handler and back. {@link
 * io.firn.server.wire.Transport} listens, a {@code Connection} reads requests within limits of
 * memory, and {@link io.firn.server.wire.ApiTable} passes each of them as an {@link
 * io.firn.server.wire.Exchange} to its handler. Knows {@code security} and no handler.
 */
package io.firn.server.wire;
