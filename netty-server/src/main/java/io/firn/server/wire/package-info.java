/** Internal: frames, requests and responses, from a socket to a handler and back. */
package io.firn.server.wire;
