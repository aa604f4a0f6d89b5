/** Internal: the handlers for topics, produce, fetch, offsets and configuration. */
package io.firn.server.log;
