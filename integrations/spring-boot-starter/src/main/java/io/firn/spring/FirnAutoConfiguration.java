package io.firn.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * Opens a store if {@code firn.directory} is set, or takes the application's, and adds a template,
 * listeners, and, where the application has what they need, a server, metrics and health.
 *
 * <p>At the end, listeners stop first, then the server; the store is closed with the other beans,
 * after all that use it.
 *
 * @see FirnListener
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration"
        })
@EnableConfigurationProperties(FirnProperties.class)
// In this order: each is added only if what it uses was added before.
@Import({
    StoreConfiguration.class,
    JsonConfiguration.WithJackson3.class,
    JsonConfiguration.WithJackson2.class,
    ClientConfiguration.class,
    ServerConfiguration.class,
    MetricsConfiguration.class,
    HealthConfiguration.OfBoot4.class,
    HealthConfiguration.OfBoot3.class
})
public class FirnAutoConfiguration {}
