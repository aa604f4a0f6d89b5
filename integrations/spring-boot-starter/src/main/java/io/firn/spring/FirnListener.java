package io.firn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that is called for each record of a topic, at least once.
 *
 * <pre>{@code
 * @FirnListener(topic = "orders", cursor = "billing", concurrency = 2)
 * void bill(Order order, LogRecord record) {
 *     // ...
 * }
 * }</pre>
 *
 * <p>Parameters, in any order: one of any type, to which the value is converted; {@link FirnKey}
 * and {@link FirnHeader}; {@link io.firn.LogRecord}, which is valid until the method returns; and
 * {@link io.firn.StoredRecord}, a copy to keep. The method returns nothing.
 *
 * <p>When the method throws, the record is tried again after a pause, while other records of the
 * same thread wait. After the last attempt, the record is appended to the dead-letter topic, which
 * is created when it is first needed; when it is durable there, the cursor goes on. A record that
 * cannot be converted goes there at once. See {@link FirnProperties.ListenerProperties}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FirnListener {

    /** Returns the name of the topic, which must exist; may have placeholders. */
    String topic();

    /** Returns the name of the cursor at which it reads; may have placeholders. */
    String cursor();

    /**
     * Returns the number of threads, over which the partitions are spread; more threads than
     * partitions have no effect.
     */
    int concurrency() default 1;
}
