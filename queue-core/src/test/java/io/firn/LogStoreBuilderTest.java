package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.Test;

/** The API finds the store's implementation, and says what is missing when it cannot. */
class LogStoreBuilderTest {
    private static final Path DIRECTORY = Path.of("store");

    /** Loads the library a second time, without the files that name its services. */
    private static final class WithoutServices extends URLClassLoader {
        WithoutServices(List<URL> classPath) {
            super(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }

        @Override
        public URL findResource(String name) {
            return name.startsWith("META-INF/services/") ? null : super.findResource(name);
        }

        @Override
        public Enumeration<URL> findResources(String name) throws IOException {
            return name.startsWith("META-INF/services/")
                    ? Collections.emptyEnumeration()
                    : super.findResources(name);
        }
    }

    @Test
    void shouldFindTheImplementationWhateverTheContextClassLoader() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertNotNull(LogStore.at(DIRECTORY));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void shouldNameTheMissingServiceFile() throws Exception {
        List<URL> classPath = List.of(placeOf(LogStore.class), placeOf(EpochClock.class));
        try (WithoutServices loader = new WithoutServices(classPath)) {
            Method at = loader.loadClass("io.firn.LogStore").getMethod("at", Path.class);

            InvocationTargetException thrown =
                    assertThrows(InvocationTargetException.class, () -> at.invoke(null, DIRECTORY));

            String message = thrown.getCause().getMessage();
            assertEquals("RefusedException", thrown.getCause().getClass().getSimpleName());
            assertTrue(message.contains("META-INF/services/io.firn.LogStoreBuilder"), message);
        }
    }

    private static URL placeOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void shouldRefuseATierThatIsNoStorageTier() {
        LogStoreBuilder builder = LogStore.at(DIRECTORY);

        InvalidOptionException refused =
                assertThrows(InvalidOptionException.class, () -> builder.tier(new Tier() {}));

        assertTrue(refused.getMessage().contains("StorageTier"), refused.getMessage());
        assertThrows(InvalidOptionException.class, () -> builder.tier("hot", new Tier() {}));
        InvalidOptionException none = assertThrows(InvalidOptionException.class, builder::open);
        assertTrue(none.getMessage().contains("at least one tier"), none.getMessage());
    }

    @Test
    void shouldBuildEachStoreFromOptionsOfItsOwn() {
        LogStoreBuilder one = LogStore.at(DIRECTORY);
        LogStoreBuilder other = LogStore.at(DIRECTORY);

        assertTrue(one != other);
        assertInstanceOf(one.getClass(), other);
    }
}
