package io.firn.sim;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * Marks tests of what does not depend on the JDK, because it is simulated or computed by Firn
 * alone. The run on the second JDK reports them as skipped. Where it is enough that a test tries
 * fewer cases then, it uses {@link SecondRun}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(
        named = "firn.second.run",
        matches = "true",
        disabledReason = "it does not depend on the JDK, and the first run has checked it")
public @interface FirstRunOnly {}
