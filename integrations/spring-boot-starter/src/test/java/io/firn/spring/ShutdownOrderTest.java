package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ClosedException;
import io.firn.LogStore;
import io.firn.api.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

class ShutdownOrderTest {
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();
    private static final AtomicReference<FirnListenerTest.Slow> SLOW = new AtomicReference<>();

    @TempDir Path directory;

    /**
     * Notes what runs when it is started and stopped. Depends on none of what it looks at: else
     * Spring would start that before it, and stop it after it, whatever the phases are.
     */
    static final class Between implements SmartLifecycle {
        private final ApplicationContext context;
        private final int phase;
        private volatile boolean isRunning;

        Between(ApplicationContext context, int phase) {
            this.context = context;
            this.phase = phase;
        }

        private void note(String when) {
            STEPS.add(
                    when
                            + ": listeners "
                            + context.getBean(FirnListeners.class).isRunning()
                            + ", server "
                            + context.getBean(FirnServerLifecycle.class).isRunning()
                            + ", store "
                            + isOpen(context.getBean(LogStore.class)));
        }

        @Override
        public void start() {
            isRunning = true;
            note("start");
        }

        @Override
        public void stop() {
            isRunning = false;
            note("stop");
        }

        @Override
        public boolean isRunning() {
            return isRunning;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    private static boolean isOpen(LogStore store) {
        try {
            store.metrics();
            return true;
        } catch (ClosedException e) {
            return false;
        }
    }

    /** Is destroyed before the store that it uses. */
    static final class User implements DisposableBean {
        private final LogStore store;

        User(LogStore store) {
            this.store = store;
        }

        @Override
        public void destroy() {
            STEPS.add("destroy: store " + isOpen(store));
        }
    }

    @Test
    void shouldStopListenersThenTheServerAndCloseTheStoreLast() {
        STEPS.clear();
        AtomicReference<LogStore> store = new AtomicReference<>();
        Contexts.in(directory)
                .withPropertyValues("firn.server.port=0")
                .withBean(FirnListenerTest.Billing.class, FirnListenerTest.Billing::new)
                .withBean("between", Between.class, FirnListeners.PHASE - 1)
                .withBean("after", Between.class, FirnServerLifecycle.PHASE - 1)
                .withBean(User.class)
                .run(
                        context -> {
                            store.set(context.getBean(LogStore.class));
                            assertTrue(context.getBean(FirnServerLifecycle.class).port() > 0);
                        });
        assertEquals(
                List.of(
                        "start: listeners false, server false, store true",
                        "start: listeners false, server true, store true",
                        "stop: listeners false, server true, store true",
                        "stop: listeners false, server false, store true",
                        "destroy: store true"),
                STEPS);
        assertThrows(ClosedException.class, () -> store.get().metrics());
    }

    @Test
    void shouldEndTheListenerWithTheRecordThatItIsHandling() throws Exception {
        Thread closing =
                new Thread(
                        () ->
                                Contexts.in(directory)
                                        .withBean(
                                                FirnListenerTest.Slow.class,
                                                FirnListenerTest.Slow::new)
                                        .run(
                                                context -> {
                                                    SLOW.set(
                                                            context.getBean(
                                                                    FirnListenerTest.Slow.class));
                                                    FirnTemplate template =
                                                            context.getBean(FirnTemplate.class);
                                                    template.append("orders", "k", "one");
                                                    template.append("orders", "k", "two");
                                                    SLOW.get().entered.await();
                                                }));
        closing.start();
        Waiting.await("the listener", () -> SLOW.get() != null);
        SLOW.get().entered.await();
        SLOW.get().mayLeave.countDown();
        Waiting.join(closing);
        assertTrue(SLOW.get().hasLeft);
        Contexts.in(directory)
                .run(
                        context ->
                                assertThat(
                                                context.getBean(LogStore.class)
                                                        .openTopic("orders")
                                                        .cursor("slow")
                                                        .offset(
                                                                partition(
                                                                        context.getBean(
                                                                                LogStore.class))))
                                        .isPositive());
    }

    private static int partition(LogStore store) {
        return store.openTopic("orders").partition(0).nextOffset() > 0 ? 0 : 1;
    }

    @Test
    void shouldStartTheServerWhenItsAddressIsAskedForAndAgainAfterAStop() {
        Contexts.in(directory)
                .withPropertyValues(
                        "firn.server.port=0", "firn.server.settings.num.network.threads=1")
                .run(
                        context -> {
                            FirnServerLifecycle server = context.getBean(FirnServerLifecycle.class);
                            assertThat(server.bootstrapServers()).startsWith("127.0.0.1:");
                            context.stop();
                            assertThat(server.isRunning()).isFalse();
                            context.start();
                            assertThat(server.isRunning()).isTrue();
                        });
    }

    @Test
    void shouldHaveNoServerUnlessItIsAskedFor() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(FirnAutoConfiguration.class))
                .withPropertyValues("firn.directory=" + directory)
                .run(context -> assertThat(context).doesNotHaveBean(FirnServerLifecycle.class));
    }
}
