package io.firn.junit;

import io.firn.junit.FirnKafka.CleanTopics;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link FirnKafka} registers. */
final class FirnKafkaExtension implements BeforeEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(FirnKafkaExtension.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        Running running = ofClass(context).get(Running.class, Running.class);
        if (running != null && annotation(context).cleanTopics() == CleanTopics.PER_METHOD) {
            running.server.clear();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == FirnKafkaServer.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return ofClass(context)
                .getOrComputeIfAbsent(
                        Running.class, key -> new Running(start(context)), Running.class)
                .server;
    }

    /** Nested classes use the server of the class that is annotated. */
    private static ExtensionContext.Store ofClass(ExtensionContext context) {
        Class<?> annotated = annotatedClass(context);
        ExtensionContext at = context;
        while (at.getTestClass().isPresent()) {
            if (at.getTestClass().get() == annotated && at.getTestMethod().isEmpty()) {
                break;
            }
            at = at.getParent().orElseThrow();
        }
        return at.getStore(Namespace.create(NAMESPACE, annotated));
    }

    private static Class<?> annotatedClass(ExtensionContext context) {
        for (Class<?> at = context.getRequiredTestClass();
                at != null;
                at = at.getEnclosingClass()) {
            if (AnnotationSupport.isAnnotated(at, FirnKafka.class)) {
                return at;
            }
        }
        throw new ExtensionConfigurationException(
                context.getRequiredTestClass() + " has no @FirnKafka");
    }

    private static FirnKafka annotation(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(annotatedClass(context), FirnKafka.class)
                .orElseThrow();
    }

    private static FirnKafkaServer start(ExtensionContext context) {
        FirnKafka asked = annotation(context);
        FirnKafkaServer.Builder builder = FirnKafkaServer.of();
        for (String each : asked.topics()) {
            int colon = each.lastIndexOf(':');
            builder.topic(
                    colon < 0 ? each : each.substring(0, colon),
                    colon < 0 ? 1 : partitions(each, each.substring(colon + 1)));
        }
        for (String each : asked.settings()) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                throw new ExtensionConfigurationException(
                        "@FirnKafka(settings): expected key=value, found \"" + each + "\"");
            }
            builder.set(each.substring(0, equals), each.substring(equals + 1));
        }
        return builder.start();
    }

    private static int partitions(String topic, String number) {
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException e) {
            throw new ExtensionConfigurationException(
                    "@FirnKafka(topics): expected name or name:partitions, found \"" + topic + "\"",
                    e);
        }
    }

    /** Closed by JUnit at the end of the class. */
    private static final class Running implements AutoCloseable {
        private final FirnKafkaServer server;

        private Running(FirnKafkaServer server) {
            this.server = server;
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
