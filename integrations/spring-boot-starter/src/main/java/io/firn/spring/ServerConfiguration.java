package io.firn.spring;

import io.firn.LogStore;
import io.firn.server.FirnServer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** A server, if it is asked for. */
@Configuration(proxyBeanMethods = false)
@Conditional(ServerConfiguration.IsWanted.class)
class ServerConfiguration {

    /** Where the artifact is there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(FirnServer.class)
    @ConditionalOnBean(LogStore.class)
    static class Present {

        @Bean
        @ConditionalOnMissingBean
        FirnServerLifecycle firnServer(
                LogStore store,
                FirnProperties properties,
                ObjectProvider<FirnServerCustomizer> customizers) {
            return new FirnServerLifecycle(
                    store, properties.server(), customizers.orderedStream().toList());
        }
    }

    /** A server that was asked for is not left out in silence. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("io.firn.server.FirnServer")
    static class Missing {
        Missing() {
            throw new IllegalStateException(
                    "firn.server asks for a server, and its classes are missing: add the artifact"
                            + " io.firn:firn-server, or remove the properties");
        }
    }

    static final class IsWanted extends AnyNestedCondition {
        IsWanted() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("firn.server.port")
        static final class ByPort {}

        @ConditionalOnProperty("firn.server.settings.listeners")
        static final class ByListeners {}
    }
}
