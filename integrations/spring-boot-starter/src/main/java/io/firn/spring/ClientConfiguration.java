package io.firn.spring;

import io.firn.LogStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What appends to the store and reads from it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(LogStore.class)
class ClientConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RecordCodec firnRecordCodec(ObjectProvider<JsonMapping> json) {
        return new BasicCodec(json.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    FirnTemplate firnTemplate(LogStore store, RecordCodec codec) {
        return new FirnTemplate(store, codec);
    }

    @Bean
    static ListenerMethods firnListenerMethods() {
        return new ListenerMethods();
    }

    @Bean
    FirnListeners firnListeners(
            LogStore store, RecordCodec codec, ListenerMethods methods, FirnProperties properties) {
        return new FirnListeners(store, codec, methods, properties.listener());
    }

    /** With lazy initialization, nothing else would create the beans of listeners. */
    @Bean
    static LazyInitializationExcludeFilter firnListenersAreNotLazy() {
        return (name, definition, type) ->
                type == FirnListeners.class || ListenerMethods.areIn(type);
    }
}
