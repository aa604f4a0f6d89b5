package io.firn.junit;

import io.firn.junit.FirnKafka.CleanTopics;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link FirnKafka} registers. */
final class FirnKafkaExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(FirnKafkaExtension.class);
    private static final Pattern TOPIC =
            Pattern.compile("(?<name>[^:]+)(:(?<partitions>[1-9][0-9]{0,5}))?");

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!annotation(context).bootstrapServersProperty().isEmpty()) {
            running(context);
        }
    }

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
        return running(context).server;
    }

    private static Running running(ExtensionContext context) {
        return ofClass(context)
                .getOrComputeIfAbsent(Running.class, key -> start(context), Running.class);
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

    private static Running start(ExtensionContext context) {
        FirnKafka asked = annotation(context);
        FirnKafkaServer.Builder builder = FirnKafkaServer.of();
        for (String each : asked.topics()) {
            Matcher topic = TOPIC.matcher(each);
            if (!topic.matches()) {
                throw new ExtensionConfigurationException(
                        "@FirnKafka(topics): expected name or name:partitions, found \""
                                + each
                                + "\"");
            }
            String partitions = topic.group("partitions");
            builder.topic(
                    topic.group("name"), partitions == null ? 1 : Integer.parseInt(partitions));
        }
        for (String each : asked.settings()) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                throw new ExtensionConfigurationException(
                        "@FirnKafka(settings): expected key=value, found \"" + each + "\"");
            }
            builder.set(each.substring(0, equals), each.substring(equals + 1));
        }
        return start(builder, asked.bootstrapServersProperty(), context);
    }

    private static Running start(
            FirnKafkaServer.Builder builder, String property, ExtensionContext context) {
        if (property.isEmpty()) {
            return new Running(builder.start(), null);
        }
        HeldProperty held = HeldProperty.hold(context, property);
        boolean isStarted = false;
        try {
            FirnKafkaServer server = builder.start();
            held.set(server.bootstrapServers());
            isStarted = true;
            return new Running(server, held);
        } finally {
            if (!isStarted) {
                held.close();
            }
        }
    }

    /** Closed by JUnit at the end of the class: before 5.13, only a CloseableResource is. */
    @SuppressWarnings("deprecation")
    private static final class Running
            implements AutoCloseable, ExtensionContext.Store.CloseableResource {
        private final FirnKafkaServer server;
        private final HeldProperty property;

        private Running(FirnKafkaServer server, HeldProperty property) {
            this.server = server;
            this.property = property;
        }

        @Override
        public void close() {
            try (server;
                    property) {
                // The property is restored first.
            }
        }
    }
}
