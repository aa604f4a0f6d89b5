package io.firn.examples.quarkus;

import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Opens the store, and closes it with the application. */
@ApplicationScoped
public class Stores {

    @Produces
    @Singleton
    LogStore open(@ConfigProperty(name = "firn.directory") String directory) {
        Path dir = Path.of(directory);
        LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
        store.ensureTopic("orders", TopicOptions.defaults());
        return store;
    }

    void close(@Disposes LogStore store) {
        store.close();
    }
}
