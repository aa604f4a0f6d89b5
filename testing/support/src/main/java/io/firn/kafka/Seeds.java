package io.firn.kafka;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Hands out the seeds of a {@link SeededTest} and puts them into its failures. */
final class Seeds implements InvocationInterceptor {
    static LongStream some() {
        return LongStream.of(1, 2, 3, 4, ThreadLocalRandom.current().nextLong());
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        try {
            invocation.proceed();
        } catch (Exception | AssertionError e) {
            throw new AssertionError("seed " + call.getArguments().get(0) + ": " + e, e);
        }
    }
}
