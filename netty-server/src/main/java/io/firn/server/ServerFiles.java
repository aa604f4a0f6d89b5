package io.firn.server;

import io.firn.LogStore;
import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WithoutLinks;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * The files of the server itself, in a directory of its store.
 *
 * @param medium where they are read and written
 * @param directory the directory, which exists
 */
record ServerFiles(FileMedium medium, Path directory) {
    private static final String DIRECTORY = "server";
    private static final String IDENTITY = "server";
    private static final int VERSION = 1;

    /** Creates the directory unless it exists. */
    static ServerFiles of(LogStore store, ServerConfig config) throws IOException {
        FileMedium medium =
                WithoutLinks.below(
                        "the store", store.directory(), FileMedium.real(), mayBeLinked(config));
        Path directory = store.directory().resolve(DIRECTORY);
        medium.createDirectories(directory);
        return new ServerFiles(medium, directory);
    }

    /** Returns whether the configuration allows links to directories. */
    static boolean mayBeLinked(ServerConfig config) {
        return config.flag("storage.allow.linked.directories");
    }

    /** Returns the directory of users, ACLs, quotas and changes of the configuration. */
    Path security() {
        return directory.resolve("security");
    }

    /** Returns the directory of groups. */
    Path groups() {
        return directory.resolve("groups");
    }

    /** Returns the cluster id that clients see; chooses one the first time. */
    String clusterId() throws IOException {
        Path file = directory.resolve("cluster");
        Fields known = Fields.read(medium, file, IDENTITY, VERSION);
        if (known == null) {
            known = Fields.of(file, Map.of("id", Uuid.randomUuid().toString()));
            SmallFile.write(medium, file, IDENTITY, VERSION, known.values());
        }
        String id = known.text("id");
        if (!id.matches("[A-Za-z0-9_-]{22}")) {
            throw known.unexpected("id", "a cluster's id of 22 characters", id);
        }
        return id;
    }
}
