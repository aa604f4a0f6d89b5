package io.firn.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Kills a server, again and again, while Kafka's Admin clients change ACLs, users and quotas, a few
 * of one kind with each request. What was acknowledged is there after the restart; of a request
 * that was not, everything or nothing. Users whose passwords were acknowledged can sign in.
 */
final class SecurityKills {
    private static final String LISTENER = "SASL_PLAINTEXT";
    private static final int NAMES = 12;
    private static final int MOST_AT_ONCE = 4;
    private static final int ITERATIONS = 4_096;
    private static final String PASSWORD = "password-";

    private final ServerProcess server;
    private final Random random;
    private final List<Changer> changers;
    private volatile boolean killed;

    /** A kind of what is changed: a name has a version, or there is nothing of this name. */
    private interface Kind {

        /** Returns whether a new version takes the place of the old one. */
        boolean replaces();

        /** Asks for a change of all of these names: to versions, or 0 for all to remove them. */
        KafkaFuture<Void> change(Admin admin, Map<String, Integer> to);

        /** Returns the versions of all names. */
        Map<String, Integer> all(Admin admin) throws Exception;
    }

    private SecurityKills(ServerProcess server, long seed) {
        this.server = server;
        this.random = new Random(seed);
        this.changers =
                List.of(
                        new Changer("ACLs", new OfAcls(), random.nextLong()),
                        new Changer("users", new OfUsers(), random.nextLong()),
                        new Changer("quotas", new OfQuotas(), random.nextLong()));
    }

    /** {@code SecurityKills DIRECTORY ROUNDS SEED}. */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        System.out.println(run(Path.of(arguments[0]), rounds, Long.parseLong(arguments[2])));
        System.exit(0); // clients may still want to close in peace
    }

    /**
     * Kills so many times.
     *
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int rounds, long seed) throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512");
        settings.put(
                "listener.name.sasl_plaintext.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                        + " user_admin=\"of-a-test\";");
        settings.put("super.users", "User:admin");
        try (ServerProcess server = new ServerProcess(directory, LISTENER, settings)) {
            return new SecurityKills(server, seed).run(rounds);
        }
    }

    private Admin admin(String mechanism, String module, String name, String password) {
        Map<String, Object> all = new HashMap<>();
        all.put("bootstrap.servers", server.bootstrapServers());
        all.put("retries", 0); // a request whose answer is lost is not sent again
        all.put("security.protocol", LISTENER);
        all.put("sasl.mechanism", mechanism);
        all.put(
                "sasl.jaas.config",
                String.format(
                        "org.apache.kafka.common.security.%s required username=\"%s\""
                                + " password=\"%s\";",
                        module, name, password));
        return Admin.create(all);
    }

    private Admin administrator() {
        return admin("PLAIN", "plain.PlainLoginModule", "admin", "of-a-test");
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private String run(int rounds) throws Exception {
        int signedIn = 0;
        for (int round = 0; round < rounds; round++) {
            killed = false;
            List<Thread> threads = new ArrayList<>();
            for (Changer each : changers) {
                each.admin = administrator();
                long before = each.acknowledged;
                threads.add(new Thread(each, each.name));
                threads.get(threads.size() - 1).start();
                Running.await(
                        "a change of " + each.name,
                        () -> each.acknowledged > before || each.failure != null);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)));
            killed = true;
            server.kill();
            for (Changer each : changers) {
                each.admin.close(Duration.ZERO); // what was not sent is not sent any more
            }
            for (Thread each : threads) {
                each.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
                require(!each.isAlive(), "the client that changes " + each.getName() + " hangs");
            }
            server.start();
            try (Admin admin = administrator()) {
                for (Changer each : changers) {
                    each.check(admin);
                }
            }
            signedIn += signIn(changers.get(1).known);
        }
        StringBuilder seen = new StringBuilder(rounds + " kills");
        for (Changer each : changers) {
            seen.append(
                    String.format(
                            "; %s: %,d requests acknowledged, all there; of %d in progress %d"
                                    + " there, %d not",
                            each.name,
                            each.acknowledged,
                            each.made + each.lost,
                            each.made,
                            each.lost));
        }
        return seen.append("; ").append(signedIn).append(" users signed in").toString();
    }

    /** One user who has a password does; its version is part of it. */
    private int signIn(Map<String, Integer> users) throws Exception {
        for (Map.Entry<String, Integer> each : users.entrySet()) {
            String password = PASSWORD + each.getValue();
            try (Admin admin =
                    admin("SCRAM-SHA-512", "scram.ScramLoginModule", each.getKey(), password)) {
                get(admin.describeCluster().nodes());
            }
            return 1;
        }
        return 0;
    }

    /** Changes one kind of thing, one request after the other, until the server is gone. */
    private final class Changer implements Runnable {
        private final String name;
        private final Kind kind;
        private final Random choice;
        private volatile Admin admin;
        private volatile long acknowledged;
        private volatile Throwable failure;
        private int version;

        /** What was acknowledged. */
        private Map<String, Integer> known = new HashMap<>();

        /** What there would be with the request that is in progress. */
        private Map<String, Integer> next;

        private int made;
        private int lost;

        Changer(String name, Kind kind, long seed) {
            this.name = name;
            this.kind = kind;
            this.choice = new Random(seed);
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // the only thread that changes it
        public void run() {
            try {
                while (!killed) {
                    Map<String, Integer> change = choose();
                    next = new HashMap<>(known);
                    next.putAll(change);
                    next.values().removeIf(each -> each == 0);
                    get(kind.change(admin, change));
                    known = next;
                    acknowledged++;
                }
            } catch (Exception e) {
                if (!killed) {
                    failure = e;
                }
            }
        }

        /** Some get a new version, or some are removed. */
        private Map<String, Integer> choose() {
            version++;
            int count = 1 + choice.nextInt(MOST_AT_ONCE);
            Map<String, Integer> change = new HashMap<>();
            if (known.size() > NAMES / 2 && choice.nextBoolean()) {
                List<String> names = new ArrayList<>(known.keySet());
                Collections.shuffle(names, choice);
                names.subList(0, count).forEach(each -> change.put(each, 0));
            } else {
                for (int i = 0; i < count; i++) {
                    if (kind.replaces()) {
                        change.put("name-" + choice.nextInt(NAMES), version);
                    } else {
                        change.put("name-" + version + "-" + i, 1);
                    }
                }
            }
            return change;
        }

        void check(Admin after) throws Exception {
            require(failure == null, name + " failed before the kill: " + failure);
            Map<String, Integer> found = kind.all(after);
            require(
                    found.equals(known) || found.equals(next),
                    name
                            + ": acknowledged was "
                            + known
                            + ", asked for "
                            + next
                            + ", found "
                            + found);
            if (!next.equals(known)) {
                made += found.equals(next) ? 1 : 0;
                lost += found.equals(next) ? 0 : 1;
            }
            known = found;
            next = found;
        }
    }

    /** Each ACL is another one: a request cannot replace it. */
    private static final class OfAcls implements Kind {
        private static AclBinding binding(String name) {
            return new AclBinding(
                    new ResourcePattern(ResourceType.TOPIC, name, PatternType.PREFIXED),
                    new AccessControlEntry(
                            "User:alice", "*", AclOperation.READ, AclPermissionType.ALLOW));
        }

        @Override
        public boolean replaces() {
            return false;
        }

        @Override
        public KafkaFuture<Void> change(Admin admin, Map<String, Integer> to) {
            List<AclBinding> all = to.keySet().stream().map(OfAcls::binding).toList();
            return to.containsValue(0)
                    ? admin.deleteAcls(all.stream().map(AclBinding::toFilter).toList())
                            .all()
                            .thenApply(removed -> null)
                    : admin.createAcls(all).all();
        }

        @Override
        public Map<String, Integer> all(Admin admin) throws Exception {
            Map<String, Integer> all = new HashMap<>();
            for (AclBinding each : get(admin.describeAcls(AclBindingFilter.ANY).values())) {
                require(each.equals(binding(each.pattern().name())), "there is " + each);
                all.put(each.pattern().name(), 1);
            }
            return all;
        }
    }

    /** The number of iterations tells which password it is. */
    private static final class OfUsers implements Kind {
        @Override
        public boolean replaces() {
            return true;
        }

        @Override
        public KafkaFuture<Void> change(Admin admin, Map<String, Integer> to) {
            List<UserScramCredentialAlteration> all = new ArrayList<>();
            to.forEach(
                    (name, version) ->
                            all.add(
                                    version == 0
                                            ? new UserScramCredentialDeletion(
                                                    name, ScramMechanism.SCRAM_SHA_512)
                                            : new UserScramCredentialUpsertion(
                                                    name,
                                                    new ScramCredentialInfo(
                                                            ScramMechanism.SCRAM_SHA_512,
                                                            ITERATIONS + version),
                                                    PASSWORD + version)));
            return admin.alterUserScramCredentials(all).all();
        }

        @Override
        public Map<String, Integer> all(Admin admin) throws Exception {
            Map<String, Integer> all = new HashMap<>();
            get(admin.describeUserScramCredentials().all())
                    .forEach(
                            (name, user) ->
                                    all.put(
                                            name,
                                            user.credentialInfos().get(0).iterations()
                                                    - ITERATIONS));
            return all;
        }
    }

    private static final class OfQuotas implements Kind {
        private static final String KEY = "producer_byte_rate";

        @Override
        public boolean replaces() {
            return true;
        }

        @Override
        public KafkaFuture<Void> change(Admin admin, Map<String, Integer> to) {
            List<ClientQuotaAlteration> all = new ArrayList<>();
            to.forEach(
                    (name, version) ->
                            all.add(
                                    new ClientQuotaAlteration(
                                            new ClientQuotaEntity(
                                                    Map.of(ClientQuotaEntity.USER, name)),
                                            List.of(
                                                    new ClientQuotaAlteration.Op(
                                                            KEY,
                                                            version == 0
                                                                    ? null
                                                                    : (double) version)))));
            return admin.alterClientQuotas(all).all();
        }

        @Override
        public Map<String, Integer> all(Admin admin) throws Exception {
            Map<String, Integer> all = new HashMap<>();
            get(admin.describeClientQuotas(ClientQuotaFilter.all()).entities())
                    .forEach(
                            (entity, values) ->
                                    all.put(
                                            entity.entries().get(ClientQuotaEntity.USER),
                                            values.get(KEY).intValue()));
            return all;
        }
    }
}
