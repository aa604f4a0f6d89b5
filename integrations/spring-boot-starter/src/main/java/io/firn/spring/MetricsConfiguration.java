package io.firn.spring;

import io.firn.LogStore;
import io.firn.micrometer.FirnMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Metrics; Actuator binds them to its registries. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(LogStore.class)
class MetricsConfiguration {

    @Bean
    @ConditionalOnMissingBean
    FirnMetrics firnMetrics(LogStore store) {
        return FirnMetrics.of(store);
    }
}
