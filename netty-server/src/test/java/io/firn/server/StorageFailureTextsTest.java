package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.api.ObservedMedium;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients are told when storage fails: never where on the server's disks. */
class StorageFailureTextsTest {
    private static final String USER = "u00";

    /** Clients that may describe the cluster ask these for directories. */
    private static final Set<ApiKeys> SHOW_DIRECTORIES =
            Set.of(ApiKeys.DESCRIBE_LOG_DIRS, ApiKeys.DESCRIBE_CONFIGS);

    @TempDir Path directory;

    private final Map<ApiKeys, String> answers = new EnumMap<>(ApiKeys.class);
    private final Set<String> shown = new TreeSet<>();

    private static Map<String, Uuid> ids(Running running) throws IOException {
        Map<String, Uuid> ids = new HashMap<>();
        try (Wire wire = new Wire(running.server())) {
            wire.ask(
                            ApiKeys.METADATA,
                            12,
                            new MetadataRequestData().setTopics(null),
                            new MetadataResponseData())
                    .topics()
                    .forEach(each -> ids.put(each.name(), each.topicId()));
        }
        return ids;
    }

    private void ask(Running running, AclRequests.Asked asked, Map<String, Uuid> ids)
            throws IOException {
        ApiKeys key = asked.key();
        short version = (short) Math.min(key.latestVersion(false), asked.newest());
        ApiMessage body = asked.body().apply(new AclRequests.Who(USER, ids, version));
        try (Wire wire = new Wire(running.server())) {
            wire.send(Wire.request(key, version, body));
            ByteBuffer bytes = wire.receive();
            String all = StandardCharsets.ISO_8859_1.decode(bytes.duplicate()).toString();
            if (all.contains(directory.toString()) && !SHOW_DIRECTORIES.contains(key)) {
                shown.add(asked.name() + ": " + all.substring(all.indexOf(directory.toString())));
            }
            ByteBufferAccessor in = new ByteBufferAccessor(bytes);
            new ResponseHeaderData().read(in, key.responseHeaderVersion(version));
            ApiMessage answer = key.messageType.newResponse();
            answer.read(in, version);
            answers.merge(key, answer.toString(), String::concat);
        } catch (EOFException | SocketException e) {
            answers.merge(key, "closed", String::concat);
        }
    }

    private boolean hasFailed(ApiKeys key) {
        return answers.get(key).contains("rrorCode=" + Errors.KAFKA_STORAGE_ERROR.code());
    }

    /** Puts a file where a directory was: whatever is to be opened in it fails, and names it. */
    private static void take(Path taken) throws IOException {
        Files.move(taken, taken.resolveSibling(taken.getFileName() + ".away"));
        Files.createFile(taken);
    }

    private static void putBack(Path taken) throws IOException {
        Files.delete(taken);
        Files.move(taken.resolveSibling(taken.getFileName() + ".away"), taken);
    }

    @Test
    void shouldTellNoClientOfAnyApiWhereTheStoreIsWhenStorageFails() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        Map<String, String> rights =
                Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users",
                        "User:ANONYMOUS");
        Path store = directory.resolve("store");
        try (Logged log = new Logged("io.firn.server");
                Running running = new Running(directory, rights, Running.filesOn(medium))) {
            running.createTopic(AclRequests.TOPIC, 1, Map.of());
            Map<String, Uuid> ids = ids(running);
            // The server has not looked at this one, and cannot read what it knows of it.
            Topic topic =
                    running.store().createTopic(AclRequests.SECRET_TOPIC, TopicOptions.defaults());
            Files.createDirectory(
                    store.resolve("server").resolve("topics").resolve(topic.id().toString()));
            take(store.resolve("topics"));
            medium.beforeForce(
                    file -> {
                        throw new IOException(file + ": Input/output error");
                    });
            medium.beforeCreate(
                    file -> {
                        throw new IOException(file + ": Input/output error");
                    });
            try {
                for (AclRequests.Asked asked : AclRequests.all()) {
                    ask(running, asked, ids);
                }
                take(store.resolve("server"));
                for (AclRequests.Asked asked : AclRequests.all()) {
                    ask(running, asked, ids);
                }
                putBack(store.resolve("server"));
            } finally {
                putBack(store.resolve("topics"));
                medium.beforeForce(null);
                medium.beforeCreate(null);
            }
            assertEquals(Set.of(), shown);
            long failed = answers.keySet().stream().filter(this::hasFailed).count();
            assertTrue(failed > 20, "it fails for " + failed + " APIs: " + answers);
            assertTrue(log.has(directory.toString()), "the log says where");
        }
    }
}
