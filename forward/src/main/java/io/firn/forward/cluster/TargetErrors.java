package io.firn.forward.cluster;

import io.firn.forward.cluster.TargetFailure.Kind;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * What Kafka's exceptions mean. Whatever is not listed passes: time-outs, leaders that move, a
 * coordinator that is loaded, and a producer that was fenced, because its transaction took too long
 * or because of another instance; the positions say which.
 */
final class TargetErrors {
    private TargetErrors() {}

    static Kind kindOf(Throwable error) {
        Throwable each = error;
        while (each != null) {
            Kind kind = ofOne(each);
            if (kind != Kind.PASSING) {
                return kind;
            }
            each = each.getCause();
        }
        return Kind.PASSING;
    }

    private static Kind ofOne(Throwable error) {
        if (error instanceof AuthorizationException || error instanceof AuthenticationException) {
            return Kind.NOT_AUTHORIZED;
        }
        if (error instanceof UnknownTopicOrPartitionException
                || error instanceof InvalidTopicException) {
            return Kind.UNKNOWN_TOPIC;
        }
        if (error instanceof RecordTooLargeException
                || error instanceof RecordBatchTooLargeException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof PolicyViolationException
                || error instanceof SerializationException) {
            return Kind.RECORD_REFUSED;
        }
        if (error instanceof InvalidTxnTimeoutException
                || error instanceof UnsupportedVersionException
                || isWrongConfiguration(error)) {
            return Kind.CONFIGURATION;
        }
        return Kind.PASSING;
    }

    /** Names that cannot be resolved now are among the errors of the configuration. */
    private static boolean isWrongConfiguration(Throwable error) {
        return error instanceof ConfigException
                && !String.valueOf(error.getMessage()).contains("resolvable");
    }

    /** Returns the error in a line: the cause that the cluster gave, if there is one. */
    static String describe(Throwable error) {
        Throwable named = error;
        for (Throwable each = error; each != null; each = each.getCause()) {
            named = each;
            if (each instanceof ApiException) {
                break;
            }
        }
        return named.getClass().getSimpleName() + ": " + named.getMessage();
    }
}
