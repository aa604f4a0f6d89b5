package io.firn.examples.micronaut;

import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.nio.file.Path;

/** Opens the store, and closes it with the application. */
@Factory
class Stores {

    @Singleton
    @Bean(preDestroy = "close")
    LogStore open(@Value("${firn.directory}") String directory) {
        Path dir = Path.of(directory);
        LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
        store.ensureTopic("orders", TopicOptions.defaults());
        return store;
    }
}
