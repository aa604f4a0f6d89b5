package io.firn.server;

import io.firn.LogStore;
import io.firn.medium.FileMedium;
import io.firn.medium.WithoutLinks;
import io.firn.server.config.ServerConfig;

/** The files of the server itself, in the directory of its store. */
final class ServerFiles {
    private ServerFiles() {}

    /** Returns whether the configuration allows links to directories. */
    static boolean mayBeLinked(ServerConfig config) {
        return config.flag("storage.allow.linked.directories");
    }

    /** Returns where these files are read and written. */
    static FileMedium mediumOf(LogStore store, ServerConfig config) {
        return WithoutLinks.below(
                "the store", store.directory(), FileMedium.real(), mayBeLinked(config));
    }
}
