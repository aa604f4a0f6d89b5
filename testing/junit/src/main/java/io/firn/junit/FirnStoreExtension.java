package io.firn.junit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link FirnStore} registers. */
final class FirnStoreExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(FirnStoreExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == CrashableStore.class;
    }

    /** JUnit keeps the store of a method's context until the end of that method. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        context.getUniqueId(),
                        id -> new Opened(CrashableStore.open()),
                        Opened.class)
                .store;
    }

    /** Closed by JUnit at the end of the test: before 5.13, only a CloseableResource is. */
    @SuppressWarnings("deprecation")
    private static final class Opened
            implements AutoCloseable, ExtensionContext.Store.CloseableResource {
        private final CrashableStore store;

        private Opened(CrashableStore store) {
            this.store = store;
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
