package io.firn.spring;

import java.lang.reflect.Type;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The Jackson of the application: 3 of Boot 4.0 before 2 of Boot 3.5, if it has both. */
final class JsonConfiguration {
    private JsonConfiguration() {}

    /** Jackson 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(tools.jackson.databind.ObjectMapper.class)
    @ConditionalOnBean(tools.jackson.databind.ObjectMapper.class)
    static class WithJackson3 {

        @Bean
        @ConditionalOnMissingBean
        JsonMapping firnJson(tools.jackson.databind.ObjectMapper mapper) {
            return new JsonMapping() {
                @Override
                public byte[] write(Object value) {
                    return mapper.writeValueAsBytes(value);
                }

                @Override
                public Object read(byte[] bytes, Type type) {
                    return mapper.readValue(bytes, mapper.constructType(type));
                }
            };
        }
    }

    /** Jackson 2. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(com.fasterxml.jackson.databind.ObjectMapper.class)
    @ConditionalOnBean(com.fasterxml.jackson.databind.ObjectMapper.class)
    static class WithJackson2 {

        @Bean
        @ConditionalOnMissingBean
        JsonMapping firnJson(com.fasterxml.jackson.databind.ObjectMapper mapper) {
            return new JsonMapping() {
                @Override
                public byte[] write(Object value) throws Exception {
                    return mapper.writeValueAsBytes(value);
                }

                @Override
                public Object read(byte[] bytes, Type type) throws Exception {
                    return mapper.readValue(bytes, mapper.constructType(type));
                }
            };
        }
    }
}
