package io.firn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test of a class an empty {@link CrashableStore} as a parameter: a store on a simulated
 * disk whose power the test can cut.
 *
 * <pre>{@code
 * @FirnStore
 * class OutboxTest {
 *     @Test
 *     void shouldKeepWhatItAcknowledged(CrashableStore disk) {
 *         new Outbox(disk.store()).add("order 1");
 *         disk.powerCut();
 *         assertEquals(List.of("order 1"), new Outbox(disk.store()).pending());
 *     }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FirnStoreExtension.class)
public @interface FirnStore {}
