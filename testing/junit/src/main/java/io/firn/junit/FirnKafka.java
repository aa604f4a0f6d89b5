package io.firn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a server for Kafka clients: on a free port of the loopback interface,
 * in the process of the test, on a temporary directory that is deleted at the end. Constructors,
 * life cycle methods and tests take a {@link FirnKafkaServer} as a parameter.
 *
 * <pre>{@code
 * @FirnKafka(topics = "orders:3")
 * class OrdersTest {
 *     @Test
 *     void shouldSendAnOrder(FirnKafkaServer kafka) {
 *         new Orders(kafka.bootstrapServers()).place("book");
 *         assertEquals("book", kafka.records("orders").get(0).valueAsString());
 *     }
 * }
 * }</pre>
 *
 * <p>The server starts when it is first asked for, or before the first test if {@link
 * #bootstrapServersProperty} is set. The class has one server for all of its tests, so that its
 * address stays the same; {@link #cleanTopics} decides what a test finds of the test before.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FirnKafkaExtension.class)
public @interface FirnKafka {

    /** The topics that exist from the start: {@code name} or {@code name:partitions}. */
    String[] topics() default {};

    /** Settings of the server, {@code key=value} each, as in its configuration file. */
    String[] settings() default {};

    /**
     * A system property that holds the server's address while the class runs, such as {@code
     * spring.kafka.bootstrap-servers}: for applications that read their configuration from there.
     * With it, the server starts before the first test. Classes that run at the same time cannot
     * share a property.
     */
    String bootstrapServersProperty() default "";

    /** When topics, and the offsets that groups committed in them, are deleted. */
    CleanTopics cleanTopics() default CleanTopics.PER_METHOD;

    /** When the topics of earlier tests go. */
    enum CleanTopics {
        /** Before each test: it finds {@link #topics} and no records. */
        PER_METHOD,

        /** Tests of a class see what earlier tests of it left. */
        PER_CLASS
    }
}
