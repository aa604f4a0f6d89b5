package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.LogStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthTest {
    @TempDir Path directory;

    @Test
    void shouldBeUpWhileTheStoreIsOpenAndDownAfterwards() {
        Contexts.in(directory)
                .run(
                        context -> {
                            LogStore store = context.getBean(LogStore.class);
                            FirnHealth health =
                                    new FirnHealth(store, context.getBean(FirnListeners.class));
                            assertThat(health.state().isUp()).isTrue();
                            assertThat(health.state().details())
                                    .containsEntry("directory", directory.toString());
                            store.close();
                            assertThat(health.state().isUp()).isFalse();
                            assertThat(health.state().details()).containsEntry("store", "closed");
                        });
    }

    /** The one of the Boot that runs this. */
    @Test
    void shouldHaveAnIndicatorUnlessItIsSwitchedOff() {
        Contexts.in(directory).run(context -> assertThat(context).hasBean("firnHealthIndicator"));
        Contexts.in(directory)
                .withPropertyValues("management.health.firn.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("firnHealthIndicator"));
    }
}
