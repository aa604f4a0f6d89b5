package io.firn.spring;

import io.firn.LogStoreBuilder;

/**
 * Changes how the store is opened, for what has no property. Declare it as a bean.
 *
 * <pre>{@code
 * @Bean
 * LogStoreCustomizer onePartition() {
 *     return builder -> builder.maxPartitions(1);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface LogStoreCustomizer {

    /** Called once before the store is opened, after the tiers were added. */
    void customize(LogStoreBuilder builder);
}
