package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class BasicCodecTest {
    @TempDir Path directory;

    /** What is sent. */
    public record Order(String customer, int books) {}

    @Configuration(proxyBeanMethods = false)
    static class Jackson2 {
        @Bean
        com.fasterxml.jackson.databind.ObjectMapper mapper2() {
            return new com.fasterxml.jackson.databind.ObjectMapper();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jackson3 {
        @Bean
        tools.jackson.databind.json.JsonMapper mapper3() {
            return tools.jackson.databind.json.JsonMapper.builder().build();
        }
    }

    static Stream<Class<?>> mappers() {
        return Stream.of(Jackson2.class, Jackson3.class);
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void shouldConvertObjectsByTheMapperOfTheApplication(Class<?> mapper) {
        Contexts.in(directory)
                .withUserConfiguration(mapper)
                .run(
                        context -> {
                            RecordCodec codec = context.getBean(RecordCodec.class);
                            byte[] json = codec.toBytes(new Order("alice", 2));
                            assertEquals(
                                    "{\"customer\":\"alice\",\"books\":2}",
                                    new String(json, UTF_8));
                            assertEquals(new Order("alice", 2), codec.fromBytes(json, Order.class));
                            RecordConversionException refused =
                                    assertThrows(
                                            RecordConversionException.class,
                                            () ->
                                                    codec.fromBytes(
                                                            "nonsense".getBytes(UTF_8),
                                                            Order.class));
                            assertTrue(
                                    refused.getMessage()
                                            .endsWith("Order was expected, found nonsense"),
                                    refused.getMessage());
                        });
    }

    @Test
    void shouldPreferTheNewerMapperIfThereAreBoth() {
        Contexts.in(directory)
                .withUserConfiguration(Jackson2.class, Jackson3.class)
                .run(
                        context -> {
                            Exception refused =
                                    assertThrows(
                                            RecordConversionException.class,
                                            () ->
                                                    context.getBean(RecordCodec.class)
                                                            .fromBytes(
                                                                    new byte[] {'{'}, Order.class));
                            assertTrue(
                                    refused.getCause()
                                            .getClass()
                                            .getName()
                                            .startsWith("tools.jackson"),
                                    refused.getCause()::toString);
                        });
    }

    @Test
    void shouldTakeBytesAndTextAsTheyAre() {
        RecordCodec codec = new BasicCodec(null);
        byte[] bytes = {1, 2};
        assertEquals(bytes, codec.toBytes(bytes));
        assertEquals(bytes, codec.fromBytes(bytes, byte[].class));
        assertArrayEquals("ü".getBytes(UTF_8), codec.toBytes("ü"));
        assertEquals("ü", codec.fromBytes("ü".getBytes(UTF_8), String.class));
        assertNull(codec.toBytes(null));
        assertNull(codec.fromBytes(null, String.class));
    }

    @Test
    void shouldSayWhatIsMissingForOtherTypes() {
        RecordConversionException refused =
                assertThrows(
                        RecordConversionException.class,
                        () -> new BasicCodec(null).toBytes(new Order("alice", 1)));
        assertTrue(refused.getMessage().contains("JSON needs a mapper"), refused.getMessage());
    }
}
