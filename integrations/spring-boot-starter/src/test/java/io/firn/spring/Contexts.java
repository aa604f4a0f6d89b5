package io.firn.spring;

import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Contexts of applications with the starter. */
final class Contexts {
    private Contexts() {}

    /** With a topic "orders" of two partitions, and pauses of a test. */
    static ApplicationContextRunner in(Path directory) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(FirnAutoConfiguration.class))
                .withPropertyValues(
                        "firn.directory=" + directory,
                        "firn.topics[0].name=orders",
                        "firn.topics[0].partitions=2",
                        "firn.topics[0].segment-size=1MB",
                        "firn.listener.attempts=3",
                        "firn.listener.first-back-off=1ms",
                        "firn.listener.longest-back-off=5ms");
    }
}
