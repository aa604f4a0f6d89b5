package io.firn.spring;

import io.firn.LogStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The store, unless the application opens one itself. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LogStore.class)
@ConditionalOnProperty("firn.directory")
class StoreConfiguration {

    @Bean(destroyMethod = "close")
    LogStore logStore(FirnProperties properties, ObjectProvider<LogStoreCustomizer> customizers) {
        return new StoreFactory(properties).open(customizers.orderedStream());
    }
}
