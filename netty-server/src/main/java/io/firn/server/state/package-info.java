/** State of a server that is kept in small files and read as immutable snapshots. */
package io.firn.server.state;
