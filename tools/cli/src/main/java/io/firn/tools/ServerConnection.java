package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.RefusedException;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What is asked of a server over Kafka's protocol. */
final class ServerConnection implements AutoCloseable {
    private final Admin admin;
    private final Properties config;

    private ServerConnection(Admin admin, Properties config) {
        this.admin = admin;
        this.config = config;
    }

    static ServerConnection open(Properties config) {
        return new ServerConnection(Admin.create(config), config);
    }

    Admin admin() {
        return admin;
    }

    /** Returns the configuration that other clients need, too. */
    Properties config() {
        Properties copy = new Properties();
        copy.putAll(config);
        return copy;
    }

    /**
     * Waits for an answer.
     *
     * @throws InvalidOptionException when the server does not know what was named, or a value is
     *     wrong
     * @throws KafkaException when it cannot answer, or refuses
     */
    static <T> T get(KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedException("interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            boolean isOfArgument =
                    cause instanceof UnknownTopicOrPartitionException
                            || cause instanceof InvalidTopicException
                            || cause instanceof InvalidPartitionsException
                            || cause instanceof InvalidConfigurationException;
            // Wrong credentials are a wrong configuration to Kafka.
            if (isOfArgument && !(cause instanceof AuthenticationException)) {
                throw new InvalidOptionException(cause.getMessage());
            }
            throw cause instanceof KafkaException
                    ? (KafkaException) cause
                    : new KafkaException(cause);
        }
    }

    /** Returns what an exception of Kafka's clients means, and what to do. */
    static String describe(KafkaException e) {
        Throwable root = e;
        while (root.getCause() instanceof KafkaException) {
            root = root.getCause();
        }
        String text = root.getMessage();
        if (root instanceof SslAuthenticationException) {
            return "the handshake of TLS failed: "
                    + (root.getCause() == null ? text : root.getCause().getMessage())
                    + ". Is the certificate of the server, or of its issuer, in"
                    + " ssl.truststore.location of --command-config?";
        }
        if (root instanceof AuthenticationException) {
            return "the server does not accept the credentials: "
                    + text
                    + ". See sasl.mechanism and sasl.jaas.config of --command-config";
        }
        if (root instanceof TimeoutException) {
            return "the server did not answer in time ("
                    + text
                    + "). Is it running, and is this its address? Where its listener has TLS or SASL,"
                    + " --command-config has to say so";
        }
        if (root instanceof ConfigException) {
            return "wrong configuration of the client: " + text;
        }
        return root instanceof ApiException ? "the server refuses: " + text : String.valueOf(root);
    }

    @Override
    public void close() {
        admin.close();
    }
}
