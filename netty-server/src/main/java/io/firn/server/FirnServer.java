package io.firn.server;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.budget.HeapBudget;
import io.firn.medium.FileMedium;
import io.firn.server.config.Endpoint;
import io.firn.server.config.Listener;
import io.firn.server.config.ServerConfig;
import io.firn.server.group.GroupFiles;
import io.firn.server.group.GroupHandlers;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.AdvertisedListeners.Node;
import io.firn.server.log.DynamicConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.FreeSpace;
import io.firn.server.log.ServedTopics;
import io.firn.server.quota.ClientQuotas;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.quota.QuotaWindows;
import io.firn.server.security.AccessControl;
import io.firn.server.security.AclAccessControl;
import io.firn.server.security.Acls;
import io.firn.server.security.AuditLog;
import io.firn.server.security.ListenerSecurity;
import io.firn.server.security.ScramUsers;
import io.firn.server.security.ServerSecurity;
import io.firn.server.tx.TransactionHandlers;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.OpenSslEngines;
import io.firn.server.wire.ServerContext;
import io.firn.server.wire.ServerLimits;
import io.firn.server.wire.Transport;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Serves a store to Kafka clients. Runs inside the application that owns the store, and does not
 * affect the application's own use of it: tailers see the records that clients produce, and clients
 * see those that the application appends.
 *
 * <pre>{@code
 * try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
 *         FirnServer server = FirnServer.of(store).port(0).start()) {
 *     System.out.println("bootstrap.servers=" + server.bootstrapServers());
 * }
 * }</pre>
 *
 * <p>One server for a store at a time. Close it before its store; if the store is closed first, the
 * store closes the server, which answers the requests in progress.
 *
 * <p>While the application has an exclusive appender on a partition, the server refuses what
 * clients produce to it. The server's own appender is given up for an exclusive one, except while a
 * request uses it; see {@link io.firn.Partition#openExclusiveAppender}.
 *
 * <p>Thread-safe.
 */
public final class FirnServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long STORE_WAIT_MS = 60_000;

    private final ServerConfig config;
    private final ServedTopics topics;
    private final ServerContext context;
    private final GroupHandlers groups;
    private final ServerMetrics metrics;
    private final Liveness liveness;
    private final Transport transport;
    private final BackgroundThreads threads;
    private final ShutdownSteps end = new ShutdownSteps();
    private final AdvertisedListeners nodes = new AdvertisedListeners();
    private final ServerSecurity security;
    private final FreeSpace space;
    private final AuditLog audit = new AuditLog();
    private final ManagementService.Running management;

    private FirnServer(Builder builder, StoreAttachment claim) throws IOException {
        this.config = builder.config();
        LogStore store = builder.store;
        checkMemory(builder);
        if (!builder.hasOpenedStore) {
            sayWhatHasNoEffect();
        }
        boolean isStarted = false;
        try {
            end.first(claim::release);
            end.first(this::releaseTopics);
            ServerFiles files = ServerFiles.of(store, config);
            FileMedium medium = files.medium();
            this.threads =
                    new BackgroundThreads(
                            config.integer("background.threads"), builder.threads, builder.onError);
            end.first(audit::end);
            end.first(threads::close);
            ScramUsers users = ScramUsers.open(medium, files.security());
            Acls acls = hasAcls(builder) ? Acls.open(medium, files.security()) : null;
            this.security = new ServerSecurity(config, services(builder, users, acls));
            String clusterId = files.clusterId();
            DynamicConfig node = DynamicConfig.open(medium, files.security(), config);
            this.topics = new ServedTopics(store, node, medium, files.directory());
            ClientQuotas quotas = ClientQuotas.open(medium, files.security());
            QuotaUsage usage = new QuotaUsage(quotas, windows(config), builder.quotaClock);
            this.space = freeSpace(builder, medium);
            this.groups =
                    new GroupHandlers(
                            topics,
                            nodes,
                            config,
                            new GroupFiles(medium, files.groups()),
                            threads.groups());
            ApiRegistration apis =
                    new ApiRegistration(topics, nodes, audit, threads.executors())
                            .serveLog(usage, space)
                            .serveAdmin(users, acls, usage)
                            .serveGroups(groups)
                            .serveTransactions(new TransactionHandlers(topics, groups, config));
            this.context = context(apis.table(), usage);
            this.transport = transport(builder.threads);
            this.metrics = new ServerMetrics(store, context, transport, groups);
            end.first(transport::close);
            end.first(this::drain);
            this.liveness = watch(store);
            for (Listener each : config.listeners()) {
                listen(clusterId, each);
            }
            startBackground();
            this.management = manage();
            claim.serves(bootstrapServers(), this::closeBeforeStore);
            isStarted = true;
        } finally {
            if (!isStarted) {
                end.run();
            }
        }
        logStart(store);
    }

    private void checkMemory(Builder builder) {
        MemoryPlan plan = builder.hasOpenedStore ? Storage.memory(config) : MemoryPlan.of(config);
        plan.check(HeapBudget.heapBytes());
        plan.warn(HeapBudget.heapBytes(), PlatformDependent.maxDirectMemory());
    }

    private boolean hasAcls(Builder builder) {
        return builder.authorizer == null && ServerSecurity.needsRights(config);
    }

    private ListenerSecurity.Services services(Builder builder, ScramUsers users, Acls acls) {
        return new ListenerSecurity.Services(
                users,
                threads.handshakes(),
                accessControl(builder, acls),
                audit,
                OpenSslEngines::new);
    }

    private FreeSpace freeSpace(Builder builder, FileMedium medium) {
        return new FreeSpace(
                medium,
                builder.store.directory(),
                builder.hasOpenedStore ? Storage.fileTiers(config) : List.of(),
                config.number("firn.min.free.bytes"));
    }

    private ServerContext context(ApiTable apis, QuotaUsage usage) {
        return new ServerContext(
                apis, ServerLimits.of(config), new ErrorMapper(), usage::recordConnection, usage);
    }

    private Transport transport(ThreadFactory factory) throws IOException {
        return new Transport(
                context,
                config.integer("num.network.threads"),
                new NamedThreadFactory(factory, "firn-accept-"),
                new NamedThreadFactory(factory, "firn-net-"));
    }

    private void logStart(LogStore store) {
        LOG.log(
                System.Logger.Level.INFO,
                "serving {0} to Kafka clients on {1} ({2})",
                store.directory(),
                config.listeners().stream()
                        .map(each -> bootstrapServers(each.name()))
                        .collect(Collectors.joining(", ")),
                transport.kind());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the executor
    private void startBackground() {
        metrics.register(bootstrapServers());
        groups.start(threads.groups(), threads.admin());
        threads.groups().scheduleWithFixedDelay(this::releaseDeletedTopics, 1, 1, TimeUnit.SECONDS);
        if (space.isLimited()) {
            eachSecond(threads.admin(), space::look);
        }
        if (security.hasTls()) {
            eachSecond(threads.admin(), security::reload);
        }
        if (security.hasTokens()) {
            eachSecond(threads.tokenKeys(), security::refreshTokenKeys);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the executor
    private void eachSecond(Executor where, Runnable what) {
        threads.groups().scheduleWithFixedDelay(() -> where.execute(what), 1, 1, TimeUnit.SECONDS);
    }

    private Liveness watch(LogStore store) {
        end.first(metrics::close);
        Liveness watching = new Liveness(metrics, store, System::nanoTime);
        end.first(watching::close);
        return watching;
    }

    private ManagementService.Running manage() throws IOException {
        ManagementService.Running running =
                Management.start(
                        liveness,
                        new ConnectedClients(context.connections(), groups),
                        topics,
                        config,
                        security);
        if (running != null) {
            end.first(running::close);
        }
        return running;
    }

    private AccessControl accessControl(Builder builder, Acls acls) {
        if (builder.authorizer != null) {
            return new AuthorizerAdapter(builder.authorizer);
        }
        if (acls == null) {
            return null; // no client says who it is
        }
        AclAccessControl control = new AclAccessControl(acls, config);
        if (control.isClosedToAll()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "no client may do anything: there is no ACL, and nobody who may create one."
                            + " Set super.users, for example to User:admin");
        }
        return control;
    }

    /** Returns a builder for a server on a store; the caller keeps and closes the store. */
    public static Builder of(LogStore store) {
        return new Builder(store);
    }

    /**
     * Checks a configuration before anything is opened or created for it.
     *
     * @throws InvalidOptionException if no server can have it, or a file that it names cannot be
     *     used
     */
    static void check(ServerConfig config) {
        ServerSecurity.check(config, OpenSslEngines::new);
        Management.check(config);
        Storage.memory(config).check(HeapBudget.heapBytes());
    }

    private void sayWhatHasNoEffect() {
        List<String> ignored = config.withoutEffectWhenEmbedded();
        if (!ignored.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "configuration keys without effect on a server inside an application: {0}. The"
                            + " application has opened the store: set what they say of it in"
                            + " LogStoreBuilder, its tiers and its Migrator, or remove the keys",
                    ignored);
        }
    }

    private void listen(String clusterId, Listener listener) throws IOException {
        Endpoint where = listener.endpoint();
        InetSocketAddress address =
                where.host().isEmpty()
                        ? new InetSocketAddress(where.port())
                        : new InetSocketAddress(where.host(), where.port());
        nodes.set(listener.name(), Node.of(config.nodeId(), listener, where.port(), clusterId));
        InetSocketAddress bound =
                transport.listen(
                        address,
                        config.integer("socket.listen.backlog.size"),
                        security.listener(listener.name()));
        nodes.set(listener.name(), Node.of(config.nodeId(), listener, bound.getPort(), clusterId));
    }

    private static QuotaWindows windows(ServerConfig config) {
        return new QuotaWindows(
                config.integer("quota.window.num"),
                1_000L * config.integer("quota.window.size.seconds"),
                config.integer("controller.quota.window.num"),
                1_000L * config.integer("controller.quota.window.size.seconds"));
    }

    private void releaseDeletedTopics() {
        try {
            topics.forgetDeleted();
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "releasing deleted topics failed; tried again in a second",
                    e);
        }
    }

    /** Returns the port that clients of the first listener are advertised to connect to. */
    public int port() {
        return nodes.first().port();
    }

    /** Returns the address for a client's {@code bootstrap.servers}, of the first listener. */
    public String bootstrapServers() {
        return nodes.first().address();
    }

    /**
     * Returns the address for the {@code bootstrap.servers} of clients of a listener.
     *
     * @throws InvalidOptionException if there is no listener of this name
     */
    public String bootstrapServers(String listener) {
        Node node = nodes.of(listener);
        if (node == null) {
            throw new InvalidOptionException("there is no listener '" + listener + "'");
        }
        return node.address();
    }

    /** Returns the server's metrics, as over JMX. */
    public ServerMetricsMXBean metrics() {
        return metrics;
    }

    /**
     * Returns where health and metrics are served; empty without {@code management.listener} in the
     * configuration.
     */
    public Optional<URI> managementUri() {
        return management == null ? Optional.empty() : Optional.of(management.uri());
    }

    /**
     * Passes on each second why only a restart helps, as {@code /health/live} would answer; nothing
     * if the process should go on.
     */
    void eachSecond(Consumer<List<String>> reasonsToEnd) {
        liveness.eachSecond(reasonsToEnd);
    }

    /** Returns the cluster id that clients see. */
    public String clusterId() {
        return nodes.first().clusterId();
    }

    /**
     * Accepts no more connections, answers the requests in progress, and releases the store, which
     * stays open. Idempotent. A store that is closed first does this before it ends.
     */
    @Override
    public void close() {
        end.run();
    }

    /** Closes the server, or waits until the thread that has begun to has done so. */
    private void closeBeforeStore() {
        close();
        if (!end.await(STORE_WAIT_MS)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the server on {0} has not ended after {1} ms; its store is closed under it",
                    bootstrapServers(),
                    STORE_WAIT_MS);
        }
    }

    private void releaseTopics() {
        if (topics != null) { // a start may have failed before
            topics.close();
        }
    }

    private void drain() {
        transport.drain(config.number("firn.shutdown.timeout.ms"));
    }

    /** The options of a server. Not thread-safe. */
    public static final class Builder {
        private final LogStore store;
        private ServerConfig config = ServerConfig.defaults();
        private Integer port;
        private Authorizer authorizer;
        private ThreadFactory threads = NamedThreadFactory::daemon;
        private Consumer<Error> onError = error -> {};
        private boolean hasOpenedStore;
        private LongSupplier quotaClock = () -> System.nanoTime() / 1_000_000;

        private Builder(LogStore store) {
            this.store = Objects.requireNonNull(store, "store");
        }

        /**
         * Sets the whole configuration. Keys for storage have no effect, because the store is open;
         * the start logs which of them were given.
         */
        public Builder config(ServerConfig value) {
            config = Objects.requireNonNull(value, "config");
            return this;
        }

        /** Sets one key; see {@link ServerConfig}. */
        public Builder set(String key, Object value) {
            config = config.with(key, value);
            return this;
        }

        /** Listens only on this port of 127.0.0.1; 0 for any free port. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /**
         * Decides what clients may do, in place of ACLs, also where they do not say who they are.
         * By default, clients need ACLs if they authenticate on any listener, and otherwise may do
         * everything.
         */
        public Builder authorizer(Authorizer value) {
            authorizer = Objects.requireNonNull(value, "authorizer");
            return this;
        }

        /**
         * Sets what makes all threads of the server: event loops and those in the background; by
         * default they are daemon threads. Each gets the name of its work and a number, such as
         * {@code firn-net-1}. Threads are also made while the server runs.
         */
        public Builder threadFactory(ThreadFactory value) {
            threads = Objects.requireNonNull(value, "threadFactory");
            return this;
        }

        /**
         * Sets what is told of an error, such as a lack of memory, that has ended a task in the
         * background; it was answered and logged. An application goes on, the process does not.
         */
        Builder onError(Consumer<Error> value) {
            onError = value;
            return this;
        }

        /** Says that the store was opened as the configuration describes it. */
        Builder hasOpenedStore() {
            hasOpenedStore = true;
            return this;
        }

        /** Sets the clock by which quotas count, in ms; it does not go back. */
        Builder quotaClock(LongSupplier value) {
            quotaClock = value;
            return this;
        }

        private ServerConfig config() {
            return port == null
                    ? config
                    : config.with("listeners", "PLAINTEXT://127.0.0.1:" + port);
        }

        /**
         * Starts the server.
         *
         * @throws IOException if it cannot listen on the address, or cannot write to the store's
         *     directory
         * @throws io.firn.host.ServiceAttachedException if the store has another server
         * @throws InvalidOptionException if an option is invalid, or the store is open read-only
         * @throws io.firn.ClosedException if the store is closed
         */
        public FirnServer start() throws IOException {
            check(config());
            String listeners = config().text("listeners");
            return new StoreAttachment(store, listeners)
                    .start(claim -> new FirnServer(this, claim));
        }
    }
}
