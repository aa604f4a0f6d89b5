package io.firn.junit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** A system property that one test class at a time holds; it gets its old value at the end. */
final class HeldProperty implements AutoCloseable {
    private static final Namespace NAMESPACE = Namespace.create(HeldProperty.class);

    private final Set<?> held;
    private final String name;
    private final String before;

    private HeldProperty(Set<?> held, String name) {
        this.held = held;
        this.name = name;
        this.before = System.getProperty(name);
    }

    static HeldProperty hold(ExtensionContext context, String name) {
        @SuppressWarnings("unchecked") // all classes of a run share the set
        Set<String> held =
                context.getRoot()
                        .getStore(NAMESPACE)
                        .getOrComputeIfAbsent(
                                Set.class, key -> ConcurrentHashMap.<String>newKeySet(), Set.class);
        if (!held.add(name)) {
            throw new ExtensionConfigurationException(
                    "@FirnKafka(bootstrapServersProperty): another class that runs now has set \""
                            + name
                            + "\". Run the classes one after the other, or give each a property of"
                            + " its own");
        }
        return new HeldProperty(held, name);
    }

    void set(String value) {
        System.setProperty(name, value);
    }

    @Override
    public void close() {
        if (before == null) {
            System.clearProperty(name);
        } else {
            System.setProperty(name, before);
        }
        held.remove(name);
    }
}
