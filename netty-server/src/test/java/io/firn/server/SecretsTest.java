package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No secret is in what a server logs, shows or throws. */
class SecretsTest {
    /** None of these words is part of another text. */
    private static final List<String> SECRETS =
            List.of(TestKeys.PASSWORD, "plain-s3cret", "scram-s3cret", "wrong-s3cret");

    private static final String MODULES = "org.apache.kafka.common.security.";
    private static final String JAAS_KEY = "listener.name.sasl_ssl.plain.sasl.jaas.config";

    @TempDir Path directory;

    private final List<String> seen = new CopyOnWriteArrayList<>();

    /** Everything that is logged, down to the finest level. */
    private final class Listening extends Handler implements AutoCloseable {
        private final Logger logger = Logger.getLogger("io.firn");
        private final Level before = logger.getLevel();
        private final SimpleFormatter form = new SimpleFormatter();

        Listening() {
            logger.setLevel(Level.ALL);
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord record) {
            seen.add(form.format(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            logger.removeHandler(this);
            logger.setLevel(before);
        }
    }

    private static Map<String, Object> client(
            Running running, Path trusted, String mechanism, String name, String password) {
        boolean isPlain = mechanism.equals("PLAIN");
        String module = isPlain ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
        Map<String, Object> all = running.client("SASL_SSL", TestKeys.truststore(trusted));
        all.put("security.protocol", "SASL_SSL");
        all.put("sasl.mechanism", mechanism);
        String form = MODULES + module + " required username=\"%s\" password=\"%s\";";
        all.put("sasl.jaas.config", String.format(form, name, password));
        return all;
    }

    private void lookAtAllBeans() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        int attributes = 0;
        for (ObjectName each : beans.queryNames(new ObjectName("io.firn*:*"), null)) {
            seen.add(each.toString());
            for (MBeanAttributeInfo one : beans.getMBeanInfo(each).getAttributes()) {
                seen.add(one.getName() + "=" + beans.getAttribute(each, one.getName()));
                attributes++;
            }
        }
        assertTrue(attributes > 10, "JMX shows " + attributes + " attributes");
    }

    private void describe(Admin admin) throws Exception {
        ConfigResource node = new ConfigResource(ConfigResource.Type.BROKER, "1");
        var shown =
                admin.describeConfigs(
                                List.of(node),
                                new DescribeConfigsOptions()
                                        .includeSynonyms(true)
                                        .includeDocumentation(true))
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                        .get(node);
        assertTrue(shown.entries().stream().anyMatch(each -> each.name().equals(JAAS_KEY)));
        shown.entries()
                .forEach(
                        each -> {
                            seen.add(each.name() + "=" + each.value());
                            each.synonyms().forEach(other -> seen.add("" + other.value()));
                        });
        seen.add(
                ""
                        + admin.describeUserScramCredentials()
                                .all()
                                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
    }

    private static List<String> reasons(Throwable thrown) {
        List<String> all = new ArrayList<>();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            all.add(each.toString());
        }
        return all;
    }

    @Test
    void shouldShowNoSecretInItsLogItsMetricsItsConfigurationAndItsExceptions() throws Exception {
        TestKeys keys = TestKeys.make(directory, "server");
        Path trusted = TestKeys.trusting(directory, keys);
        String jaas = MODULES + "plain.PlainLoginModule required user_alice=\"plain-s3cret\";";
        Map<String, String> settings = new HashMap<>(keys.keystore());
        settings.put("listeners", "PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0");
        settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256");
        settings.put("connection.failed.authentication.delay.ms", "0");
        settings.put(JAAS_KEY, jaas);
        settings.put("super.users", "User:ANONYMOUS");
        try (Listening log = new Listening();
                Running running = new Running(directory, settings);
                Admin admin = Admin.create(running.client("PLAINTEXT", Map.of()))) {
            var scram = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096);
            var change = new UserScramCredentialUpsertion("bob", scram, "scram-s3cret");
            admin.alterUserScramCredentials(List.of(change))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            for (List<String> each :
                    List.of(
                            List.of("PLAIN", "alice", "plain-s3cret", "in"),
                            List.of("PLAIN", "alice", "wrong-s3cret", "out"),
                            List.of("SCRAM-SHA-256", "bob", "scram-s3cret", "in"),
                            List.of("SCRAM-SHA-256", "bob", "wrong-s3cret", "out"))) {
                try (Admin other =
                        Admin.create(
                                client(running, trusted, each.get(0), each.get(1), each.get(2)))) {
                    var names = other.listTopics().names();
                    if (each.get(3).equals("in")) {
                        names.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                    } else {
                        Throwable refused =
                                assertThrows(
                                        ExecutionException.class,
                                        () -> names.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
                        seen.addAll(reasons(refused));
                    }
                }
            }
            describe(admin);
            lookAtAllBeans();
            log.flush();
        }
        for (String value :
                List.of(
                        jaas.replace(";", ""),
                        jaas + " garbage",
                        jaas.replace(".plain.", ".other."))) {
            Map<String, String> wrong = new HashMap<>(settings);
            wrong.put(JAAS_KEY, value);
            seen.addAll(
                    reasons(
                            assertThrows(
                                    InvalidOptionException.class,
                                    () -> new Running(directory, wrong).close(),
                                    value)));
        }
        Map<String, String> wrong = new HashMap<>(settings);
        wrong.put("ssl.keystore.password", "wrong-s3cret");
        seen.addAll(
                reasons(
                        assertThrows(
                                InvalidOptionException.class,
                                () -> new Running(directory, wrong).close())));
        assertTrue(seen.stream().anyMatch(each -> each.contains("failed to authenticate")));
        for (String secret : SECRETS) {
            assertEquals(List.of(), seen.stream().filter(each -> each.contains(secret)).toList());
        }
    }
}
