package io.firn.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What users with different rights are answered: each {@link AclRequests request} by each user,
 * beside the answers of an Apache Kafka broker, which are recorded in a table. The build asks our
 * server; {@code bin/check kafka-tools --acls} asks a broker, too, so that the table stays true.
 * With {@link AclRequests} it needs no other class of ours.
 *
 * <p>A user is called by its rights: {@code TOPIC:READ} may read topics called {@code orders} or
 * like {@code own-…}; {@code !} denies. A line of the table is {@code REQUEST | USERS | KAFKA'S
 * ANSWER}, and where ours differs on purpose also {@code | OUR ANSWER | REASON}. An answer has the
 * names of resources and errors, and the operations that are shown to be allowed, as a number; own
 * names without the prefix, and the user's name as {@code ~}.
 */
final class AclTable {
    static final String ADMIN = "admin";
    private static final int HANGS_AFTER_MS = 60_000;
    private static final Set<String> NAMES =
            Set.of(
                    "name",
                    "topic",
                    "topicName",
                    "groupId",
                    "transactionalId",
                    "group",
                    "key",
                    "resourceName",
                    "user",
                    "partitionIndex",
                    "partition",
                    "index");
    private static final Set<String> LEFT_OUT =
            Set.of("brokers", "configs", "nodeEndpoints", "replicaNodes", "next", "prev");

    private final String host;
    private final int port;
    private final Map<String, Connection> connections = new HashMap<>();
    private final Map<ApiKeys, Short> newest = new HashMap<>();
    private final Map<String, Uuid> ids = new TreeMap<>();

    /** A line of the table, for one user. */
    record Row(String request, String user, String kafka, String firn) {}

    AclTable(String bootstrap) throws IOException {
        int colon = bootstrap.lastIndexOf(':');
        host = bootstrap.substring(0, colon);
        port = Integer.parseInt(bootstrap.substring(colon + 1));
        ask(
                        ADMIN,
                        ApiKeys.API_VERSIONS,
                        2,
                        new ApiVersionsRequestData(),
                        new ApiVersionsResponseData())
                .apiKeys()
                .forEach(
                        each -> {
                            if (ApiKeys.hasId(each.apiKey())) {
                                ApiKeys key = ApiKeys.forId(each.apiKey());
                                int known = Math.min(each.maxVersion(), key.latestVersion());
                                newest.put(key, (short) known);
                            }
                        });
    }

    // ---- users

    /** Each operation alone, and what some requests need together, by the names of the users. */
    static Map<String, String> users() {
        List<String> all = new ArrayList<>(List.of("nothing"));
        for (String each :
                "READ WRITE CREATE DELETE ALTER DESCRIBE DESCRIBE_CONFIGS ALTER_CONFIGS ALL"
                        .split(" ")) {
            all.add("TOPIC:" + each);
        }
        for (String each : "READ DELETE DESCRIBE DESCRIBE_CONFIGS ALTER_CONFIGS ALL".split(" ")) {
            all.add("GROUP:" + each);
        }
        for (String each :
                "CREATE ALTER DESCRIBE CLUSTER_ACTION DESCRIBE_CONFIGS ALTER_CONFIGS IDEMPOTENT_WRITE ALL"
                        .split(" ")) {
            all.add("CLUSTER:" + each);
        }
        all.add("GROUP:READ+TOPIC:READ");
        all.add("GROUP:READ+TOPIC:DESCRIBE");
        all.add("GROUP:DESCRIBE+TOPIC:DESCRIBE");
        all.add("GROUP:DELETE+TOPIC:READ");
        all.add("TOPIC:DESCRIBE+TOPIC:CREATE");
        all.add("TOPIC:DESCRIBE+CLUSTER:CREATE");
        all.add("TOPIC:CREATE+TOPIC:DESCRIBE_CONFIGS");
        all.add("CLUSTER:CREATE+TOPIC:DESCRIBE_CONFIGS");
        all.add("TOPIC:READ+CLUSTER:CLUSTER_ACTION");
        all.add("TOPIC:DESCRIBE+CLUSTER:CLUSTER_ACTION");
        all.add("TOPIC:ALL+!TOPIC:DESCRIBE");
        all.add("TOPIC:ALL+!TOPIC:WRITE");
        all.add("GROUP:ALL+!GROUP:DESCRIBE");
        all.add("CLUSTER:ALL+!CLUSTER:DESCRIBE");
        for (String each : "WRITE DESCRIBE ALL".split(" ")) {
            all.add("TRANSACTIONAL_ID:" + each);
        }
        all.add("TRANSACTIONAL_ID:WRITE+TOPIC:WRITE");
        all.add("TRANSACTIONAL_ID:WRITE+GROUP:READ");
        all.add("TRANSACTIONAL_ID:WRITE+GROUP:READ+TOPIC:READ");
        all.add("TRANSACTIONAL_ID:DESCRIBE+TOPIC:DESCRIBE");
        Map<String, String> named = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            named.put(String.format(Locale.ROOT, "u%02d", i), all.get(i));
        }
        return named;
    }

    /** The users and the administrator, for the configuration of a server. */
    static String jaas() {
        return "org.apache.kafka.common.security.plain.PlainLoginModule required"
                + users().keySet().stream()
                        .map(each -> " user_" + each + "=\"" + each + "s\"")
                        .collect(Collectors.joining())
                + " user_admin=\"admins\";";
    }

    private static CreateAclsRequestData acls() {
        CreateAclsRequestData request = new CreateAclsRequestData();
        users().forEach(
                        (user, rights) -> {
                            for (String each : rights.split("\\+")) {
                                if (!each.equals("nothing")) {
                                    addAcls(request, user, each);
                                }
                            }
                        });
        return request;
    }

    private static void addAcls(CreateAclsRequestData request, String user, String right) {
        boolean denies = right.startsWith("!");
        String[] parts = right.substring(denies ? 1 : 0).split(":");
        ResourceType type = ResourceType.valueOf(parts[0]);
        boolean cluster = type == ResourceType.CLUSTER;
        String name =
                switch (type) {
                    case TOPIC -> AclRequests.TOPIC;
                    case GROUP -> AclRequests.GROUP;
                    case TRANSACTIONAL_ID -> AclRequests.TRANSACTION;
                    default -> "kafka-cluster";
                };
        CreateAclsRequestData.AclCreation acl =
                new CreateAclsRequestData.AclCreation()
                        .setResourceType(type.code())
                        .setResourceName(name)
                        .setResourcePatternType((byte) 3)
                        .setPrincipal("User:" + user)
                        .setHost("*")
                        .setOperation(AclOperation.valueOf(parts[1]).code())
                        .setPermissionType((byte) (denies ? 2 : 3));
        request.creations().add(acl);
        if (!cluster) {
            request.creations()
                    .add(
                            acl.duplicate()
                                    .setResourceName("own-" + user + "-")
                                    .setResourcePatternType((byte) 4));
        }
    }

    // ---- what there is before the first request

    private AclRequests.Who who(String user, int version) {
        return new AclRequests.Who(user, ids, (short) version);
    }

    void prepare() throws Exception {
        Set<String> topics = new TreeSet<>(Set.of(AclRequests.TOPIC, AclRequests.SECRET_TOPIC));
        users().keySet().forEach(each -> topics.addAll(AclRequests.deletedTopics(who(each, 0))));
        ask(
                        ADMIN,
                        ApiKeys.CREATE_TOPICS,
                        7,
                        AclRequests.create(topics),
                        new CreateTopicsResponseData())
                .topics()
                .forEach(each -> check(each.name(), each.errorCode()));
        CreateAclsRequestData acls = acls();
        ask(ADMIN, ApiKeys.CREATE_ACLS, 3, acls, new CreateAclsResponseData())
                .results()
                .forEach(each -> check("ACL", each.errorCode()));
        await("topics", () -> topicsAre(topics));
        await("ACLs", () -> aclsAre(acls.creations().size()));
        await("coordinator", () -> hasCoordinator((byte) 0));
        await("coordinator of transactions", () -> hasCoordinator((byte) 1));
        await("producer ids", () -> hasProducer(null));
        for (String each : List.of(AclRequests.TRANSACTION, AclRequests.SECRET_TRANSACTION)) {
            await("transactions", () -> hasProducer(each));
        }
        for (String user : users().keySet()) {
            await("transactions", () -> hasProducer(who(user, 0).own("transaction")));
        }
        for (String user : users().keySet()) {
            commit(user, who(user, 0).own("deleted"));
            commit(user, who(user, 0).own("offsets"));
        }
        commit("u00", AclRequests.GROUP);
        commit("u00", AclRequests.SECRET_GROUP);
    }

    private void commit(String user, String group) throws Exception {
        var request = AclRequests.commit(who(user, 9), group);
        request.topics()
                .removeIf(
                        each ->
                                !each.name().equals(AclRequests.TOPIC)
                                        && !each.name().equals(AclRequests.SECRET_TOPIC));
        await(
                "a commit",
                () ->
                        ask(
                                        ADMIN,
                                        ApiKeys.OFFSET_COMMIT,
                                        9,
                                        request,
                                        new OffsetCommitResponseData())
                                .topics()
                                .stream()
                                .allMatch(each -> each.partitions().get(0).errorCode() == 0));
    }

    private boolean topicsAre(Set<String> expected) throws IOException {
        ask(
                        ADMIN,
                        ApiKeys.METADATA,
                        12,
                        new MetadataRequestData().setTopics(null),
                        new MetadataResponseData())
                .topics()
                .forEach(
                        each -> {
                            if (each.partitions().get(0).leaderId() >= 0) {
                                ids.put(each.name(), each.topicId());
                            }
                        });
        return ids.keySet().containsAll(expected);
    }

    private boolean aclsAre(int expected) throws IOException {
        var any =
                new DescribeAclsRequestData()
                        .setResourceTypeFilter((byte) 1)
                        .setPatternTypeFilter((byte) 1)
                        .setOperation((byte) 1)
                        .setPermissionType((byte) 1)
                        .setResourceNameFilter(null)
                        .setHostFilter(null)
                        .setPrincipalFilter(null);
        return ask(ADMIN, ApiKeys.DESCRIBE_ACLS, 3, any, new DescribeAclsResponseData())
                        .resources()
                        .stream()
                        .mapToInt(each -> each.acls().size())
                        .sum()
                == expected;
    }

    private boolean hasCoordinator(byte keyType) throws IOException {
        var request = new FindCoordinatorRequestData().setKeyType(keyType);
        users().keySet()
                .forEach(each -> request.coordinatorKeys().add(who(each, 0).own("deleted")));
        return ask(ADMIN, ApiKeys.FIND_COORDINATOR, 4, request, new FindCoordinatorResponseData())
                .coordinators()
                .stream()
                .allMatch(each -> each.errorCode() == 0);
    }

    private boolean hasProducer(String transactionalId) throws IOException {
        var request =
                new InitProducerIdRequestData()
                        .setTransactionalId(transactionalId)
                        .setTransactionTimeoutMs(60_000);
        return ask(ADMIN, ApiKeys.INIT_PRODUCER_ID, 4, request, new InitProducerIdResponseData())
                        .errorCode()
                == 0;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        for (int i = 0; !condition.holds(); i++) {
            if (i == 600) {
                throw new IllegalStateException("There were no " + what + " after a minute");
            }
            Thread.sleep(100);
        }
    }

    private static void check(String what, short error) {
        if (error != 0) {
            throw new IllegalStateException(what + ": " + Errors.forCode(error));
        }
    }

    // ---- answers

    /** The newest versions, if the other server knows them too. */
    void agree(AclTable other) {
        newest.replaceAll((key, version) -> min(version, other.newest.getOrDefault(key, version)));
    }

    private static short min(short a, short b) {
        return a < b ? a : b;
    }

    /** What each user is answered, by request and user. */
    Map<String, Map<String, String>> answers() throws Exception {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        for (AclRequests.Asked asked : AclRequests.all()) {
            Map<String, String> byUser = new LinkedHashMap<>();
            all.put(asked.name(), byUser);
            for (String user : users().keySet()) {
                byUser.put(users().get(user), answer(asked, user));
            }
        }
        return all;
    }

    private String answer(AclRequests.Asked asked, String user) throws Exception {
        short version = min(newest.get(asked.key()), (short) asked.newest());
        ApiMessage request = asked.body().apply(who(user, version));
        try {
            ApiMessage answer =
                    ask(user, asked.key(), version, request, asked.key().messageType.newResponse());
            return show(answer, user).replace("own-" + user + "-", "own-").replace(user, "~");
        } catch (EOFException e) {
            connections.remove(user);
            return "CLOSED";
        }
    }

    /** The errors in a message, and what they are about. */
    private String show(Message message, String user) throws ReflectiveOperationException {
        List<String> shown = new ArrayList<>();
        for (Field field : message.getClass().getDeclaredFields()) {
            String name = field.getName();
            if (Modifier.isStatic(field.getModifiers())
                    || name.startsWith("_")
                    || LEFT_OUT.contains(name)) {
                continue;
            }
            Object value = message.getClass().getMethod(name).invoke(message);
            if (value instanceof Short code
                    && name.toLowerCase(Locale.ROOT).endsWith("errorcode")) {
                if (name.equals("errorCode") || code != 0) {
                    shown.add((name.equals("errorCode") ? "" : name + "=") + Errors.forCode(code));
                }
            } else if (value instanceof Integer bits && name.endsWith("AuthorizedOperations")) {
                shown.add(bits == Integer.MIN_VALUE ? "" : "may=" + bits);
            } else if (value instanceof Uuid id && !id.equals(Uuid.ZERO_UUID)) {
                shown.add("#" + nameOf(id));
            } else if (value != null && NAMES.contains(name)) {
                shown.add(value.toString());
            } else if (value instanceof Message each) {
                shown.add(show(each, user));
            } else if (value instanceof Collection<?> all) {
                shown.add(show(all, user));
            }
        }
        shown.removeIf(String::isEmpty);
        return isAnothers(shown, user) ? "" : String.join(" ", shown);
    }

    private String show(Collection<?> all, String user) throws ReflectiveOperationException {
        List<String> shown = new ArrayList<>();
        for (Object each : all) {
            if (each instanceof Message message) {
                shown.add(show(message, user));
            }
        }
        shown.removeIf(String::isEmpty);
        shown.sort(null); // the order follows from hashes in Kafka
        return shown.isEmpty() ? "" : "[" + String.join(", ", shown) + "]";
    }

    private String nameOf(Uuid id) {
        return ids.entrySet().stream()
                .filter(each -> each.getValue().equals(id))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("other");
    }

    /** What other users have made meanwhile. */
    private static boolean isAnothers(List<String> shown, String user) {
        return shown.stream()
                .anyMatch(
                        each ->
                                (each.matches("own-u.*|.*-u[0-9]+") && !each.contains(user))
                                        || each.startsWith("__"));
    }

    // ---- connections

    private static final class Connection {
        private final DataInputStream in;
        private final DataOutputStream out;

        Connection(Socket socket) throws IOException {
            socket.setSoTimeout(HANGS_AFTER_MS);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        <T extends ApiMessage> T ask(ApiKeys key, int number, ApiMessage request, T answer)
                throws IOException {
            short version = (short) number;
            ObjectSerializationCache cache = new ObjectSerializationCache();
            RequestHeaderData header =
                    new RequestHeaderData()
                            .setRequestApiKey(key.id)
                            .setRequestApiVersion(version)
                            .setClientId("acls");
            short headerVersion = key.requestHeaderVersion(version);
            int size = header.size(cache, headerVersion) + request.size(cache, version);
            ByteBuffer bytes = ByteBuffer.allocate(4 + size).putInt(size);
            ByteBufferAccessor to = new ByteBufferAccessor(bytes);
            header.write(to, cache, headerVersion);
            request.write(to, cache, version);
            out.write(bytes.array());
            out.flush();
            byte[] answered = new byte[in.readInt()];
            in.readFully(answered);
            ByteBufferAccessor from = new ByteBufferAccessor(ByteBuffer.wrap(answered));
            new ResponseHeaderData().read(from, key.responseHeaderVersion(version));
            answer.read(from, version);
            return answer;
        }
    }

    private <T extends ApiMessage> T ask(
            String user, ApiKeys key, int version, ApiMessage request, T answer)
            throws IOException {
        Connection connection = connections.get(user);
        if (connection == null) {
            connection = new Connection(new Socket(host, port));
            connection.ask(
                    ApiKeys.SASL_HANDSHAKE,
                    1,
                    new SaslHandshakeRequestData().setMechanism("PLAIN"),
                    new SaslHandshakeResponseData());
            byte[] said = ("\0" + user + "\0" + user + "s").getBytes(StandardCharsets.UTF_8);
            check(
                    user,
                    connection
                            .ask(
                                    ApiKeys.SASL_AUTHENTICATE,
                                    2,
                                    new SaslAuthenticateRequestData().setAuthBytes(said),
                                    new SaslAuthenticateResponseData())
                            .errorCode());
            connections.put(user, connection);
        }
        return connection.ask(key, version, request, answer);
    }

    // ---- the table

    static List<Row> rows(List<String> lines) {
        Map<String, Map<String, Row>> rows = new LinkedHashMap<>();
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] cells = line.split(" *\\| *", -1);
            Map<String, Row> byUser = rows.computeIfAbsent(cells[0], r -> new LinkedHashMap<>());
            String firn = cells.length > 3 ? cells[3] : cells[2];
            Collection<String> users =
                    cells[1].equals("others") ? users().values() : List.of(cells[1].split(" +"));
            for (String user : users) {
                byUser.putIfAbsent(user, new Row(cells[0], user, cells[2], firn));
            }
        }
        return rows.values().stream().flatMap(each -> each.values().stream()).toList();
    }

    /** What is not as in the table. */
    static List<String> differences(
            List<Row> rows, Map<String, Map<String, String>> answers, boolean isKafka) {
        List<String> different = new ArrayList<>();
        Set<String> known =
                rows.stream().map(each -> each.request + each.user).collect(Collectors.toSet());
        answers.forEach(
                (request, byUser) ->
                        byUser.forEach(
                                (user, answer) -> {
                                    if (!known.contains(request + user)) {
                                        different.add(request + " | " + user + " | " + answer);
                                    }
                                }));
        for (Row row : rows) {
            String expected = isKafka ? row.kafka : row.firn;
            String found = answers.getOrDefault(row.request, Map.of()).get(row.user);
            if (!expected.equals(found)) {
                different.add(
                        row.request + " | " + row.user + " | " + found + ", expected " + expected);
            }
        }
        return different;
    }

    /** The table of these answers: users who are answered alike are in one line. */
    private static List<String> table(
            Map<String, Map<String, String>> kafka, Map<String, Map<String, String>> firn) {
        List<String> lines = new ArrayList<>();
        kafka.forEach(
                (request, byUser) -> {
                    Map<String, List<String>> byAnswer = new LinkedHashMap<>();
                    byUser.forEach(
                            (user, answer) -> {
                                String ours = firn.get(request).get(user);
                                String cell =
                                        ours.equals(answer)
                                                ? answer
                                                : answer + " | " + ours + " | ?";
                                byAnswer.computeIfAbsent(cell, a -> new ArrayList<>()).add(user);
                            });
                    String most =
                            byAnswer.entrySet().stream()
                                    .max(
                                            Map.Entry.comparingByValue(
                                                    Comparator.comparingInt(List::size)))
                                    .orElseThrow()
                                    .getKey();
                    byAnswer.forEach(
                            (answer, users) -> {
                                if (!answer.equals(most)) {
                                    String who = String.join(" ", users);
                                    lines.add(request + " | " + who + " | " + answer);
                                }
                            });
                    lines.add(request + " | others | " + most);
                });
        return lines;
    }

    /**
     * Compares a Kafka broker and a server with the table: KAFKA FIRN TABLE NEW, each server as
     * HOST:PORT; writes what they answer as a new table. With one argument prints the users.
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 1) {
            System.out.println(jaas());
            return;
        }
        AclTable kafka = new AclTable(args[0]);
        AclTable firn = new AclTable(args[1]);
        kafka.agree(firn);
        firn.agree(kafka);
        kafka.prepare();
        firn.prepare();
        var ofKafka = kafka.answers();
        var ofFirn = firn.answers();
        Files.write(Path.of(args[3]), table(ofKafka, ofFirn));
        List<Row> rows = rows(Files.readAllLines(Path.of(args[2])));
        List<String> different = new ArrayList<>();
        differences(rows, ofKafka, true).forEach(each -> different.add("Kafka: " + each));
        differences(rows, ofFirn, false).forEach(each -> different.add("Firn: " + each));
        different.forEach(System.out::println);
        System.out.println(
                rows.size() + " answers of each, " + different.size() + " not as in the table");
        System.exit(different.isEmpty() ? 0 : 1);
    }
}
