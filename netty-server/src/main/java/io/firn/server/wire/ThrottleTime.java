package io.firn.server.wire;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.kafka.common.protocol.ApiMessage;

/** The field of responses that says for how long a client should be silent. */
final class ThrottleTime {
    /** Kafka's generated messages have the field in common, but no type for it. */
    private static final ClassValue<Field> FIELDS =
            new ClassValue<>() {
                @Override
                protected Field computeValue(Class<?> type) {
                    return find(type);
                }
            };

    private record Field(MethodHandle get, MethodHandle set) {}

    private ThrottleTime() {}

    private static Field find(Class<?> type) {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            MethodHandle get =
                    lookup.findVirtual(type, "throttleTimeMs", MethodType.methodType(int.class));
            MethodHandle set =
                    lookup.findVirtual(
                            type, "setThrottleTimeMs", MethodType.methodType(type, int.class));
            return new Field(
                    get.asType(MethodType.methodType(int.class, ApiMessage.class)),
                    set.asType(MethodType.methodType(void.class, ApiMessage.class, int.class)));
        } catch (NoSuchMethodException e) {
            return null; // the response has no such field
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Records the time of a request, and mutes its client if that was too much. */
    static void settle(HandlingTime time, ApiMessage response, ClientConnection client) {
        long ms = time.settle();
        if (ms > 0) {
            raise(response, ms);
            client.throttle(ms);
        }
    }

    /** Sets the time of a response, unless it is longer already. */
    static void raise(ApiMessage response, long ms) {
        Field field = FIELDS.get(response.getClass());
        if (field == null) {
            return;
        }
        try {
            int bounded = (int) Math.min(Integer.MAX_VALUE, ms);
            if ((int) field.get.invokeExact(response) < bounded) {
                field.set.invokeExact(response, bounded);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // these methods declare none
        }
    }
}
