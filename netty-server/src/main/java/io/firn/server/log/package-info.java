/** What clients ask of the log: topics, produce, fetch, offsets, configuration. */
package io.firn.server.log;
