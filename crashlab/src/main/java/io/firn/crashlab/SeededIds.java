package io.firn.crashlab;

import java.nio.ByteBuffer;
import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Makes {@link UUID#randomUUID} follow a seed of the calling thread, so that a run can be had again
 * exactly: the order of topics follows from their ids. To be installed before the JVM makes its
 * first id; for programs that do nothing but simulate.
 */
final class SeededIds extends Provider {
    private static final long serialVersionUID = 1;
    private static final ThreadLocal<SplittableRandom> RANDOM =
            ThreadLocal.withInitial(() -> new SplittableRandom(0));

    private SeededIds() {
        super("firn-seeded", "1", "ids that follow a seed");
        put("SecureRandom.FirnSeeded", Seeded.class.getName());
        put("SecureRandom.FirnSeeded ThreadSafe", "true");
    }

    /** Returns whether ids follow the seed from now on. */
    static boolean install() {
        if (Security.getProvider("firn-seeded") == null) {
            Security.insertProviderAt(new SeededIds(), 1);
        }
        seed(1);
        UUID first = UUID.randomUUID();
        seed(1);
        return first.equals(UUID.randomUUID());
    }

    /** What this thread's ids follow from now on. */
    static void seed(long seed) {
        RANDOM.set(new SplittableRandom(seed));
    }

    /** Runs something with another seed; afterwards the ids go on as if it had not been. */
    static void during(long seed, Runnable action) {
        SplittableRandom before = RANDOM.get();
        RANDOM.set(new SplittableRandom(seed));
        try {
            action.run();
        } finally {
            RANDOM.set(before);
        }
    }

    /** Bytes from the thread's seed. */
    public static final class Seeded extends SecureRandomSpi {
        private static final long serialVersionUID = 1;

        /** Made by the JDK, by name. */
        public Seeded() {}

        @Override
        protected void engineSetSeed(byte[] seed) {
            // The thread's seed is all there is.
        }

        @Override
        protected void engineNextBytes(byte[] bytes) {
            RANDOM.get().nextBytes(bytes);
        }

        @Override
        protected byte[] engineGenerateSeed(int length) {
            return ByteBuffer.allocate(length).array();
        }
    }
}
