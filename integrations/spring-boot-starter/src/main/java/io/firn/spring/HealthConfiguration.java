package io.firn.spring;

import io.firn.LogStore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health, as the version of Boot shows it. */
final class HealthConfiguration {
    private static final String ENABLED = "management.health.firn.enabled";

    private HealthConfiguration() {}

    /** Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    @ConditionalOnBean({LogStore.class, FirnListeners.class})
    @ConditionalOnProperty(name = ENABLED, matchIfMissing = true)
    static class OfBoot4 {

        @Bean
        org.springframework.boot.health.contributor.HealthIndicator firnHealthIndicator(
                LogStore store, FirnListeners listeners) {
            FirnHealth health = new FirnHealth(store, listeners);
            return () -> {
                FirnHealth.State state = health.state();
                return (state.isUp()
                                ? org.springframework.boot.health.contributor.Health.up()
                                : org.springframework.boot.health.contributor.Health.down())
                        .withDetails(state.details())
                        .build();
            };
        }
    }

    /** Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
    @ConditionalOnBean({LogStore.class, FirnListeners.class})
    @ConditionalOnProperty(name = ENABLED, matchIfMissing = true)
    static class OfBoot3 {

        @Bean
        org.springframework.boot.actuate.health.HealthIndicator firnHealthIndicator(
                LogStore store, FirnListeners listeners) {
            FirnHealth health = new FirnHealth(store, listeners);
            return () -> {
                FirnHealth.State state = health.state();
                return (state.isUp()
                                ? org.springframework.boot.actuate.health.Health.up()
                                : org.springframework.boot.actuate.health.Health.down())
                        .withDetails(state.details())
                        .build();
            };
        }
    }
}
