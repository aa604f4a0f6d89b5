package io.firn.crashlab;

import java.nio.ByteBuffer;
import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Derives {@link UUID#randomUUID} from a seed of the calling thread, so that a run can be
 * reproduced exactly: the order of topics follows from their ids. Must be installed before the JVM
 * creates its first id. Only for programs that do nothing except simulate.
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

    /** Installs the provider; returns whether ids now follow the seed. */
    static boolean install() {
        if (Security.getProvider("firn-seeded") == null) {
            Security.insertProviderAt(new SeededIds(), 1);
        }
        seed(1);
        UUID first = UUID.randomUUID();
        seed(1);
        return first.equals(UUID.randomUUID());
    }

    /** Sets the seed that this thread's ids follow from now on. */
    static void seed(long seed) {
        RANDOM.set(new SplittableRandom(seed));
    }

    /** Runs an action with another seed; afterwards the sequence of ids continues unchanged. */
    static void during(long seed, Runnable action) {
        SplittableRandom before = RANDOM.get();
        RANDOM.set(new SplittableRandom(seed));
        try {
            action.run();
        } finally {
            RANDOM.set(before);
        }
    }

    /** Derives random bytes from the thread's seed. */
    public static final class Seeded extends SecureRandomSpi {
        private static final long serialVersionUID = 1;

        /** Called by the JDK, by reflection. */
        public Seeded() {}

        @Override
        protected void engineSetSeed(byte[] seed) {
            // Only the thread's seed counts.
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
