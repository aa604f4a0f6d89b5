package io.firn.spring;

import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;

class PropertiesPageTest {
    private static final Path SOURCE =
            Path.of("../spring-boot-starter/src/main/java/io/firn/spring/FirnProperties.java");

    private static final Map<Class<?>, String> PREFIXES =
            Map.of(
                    FirnProperties.TierProperties.class, "tiers[0].",
                    FirnProperties.TopicProperties.class, "topics[0].",
                    FirnProperties.ListenerProperties.class, "listener.",
                    FirnProperties.ServerProperties.class, "server.");

    private static final List<Class<?>> RECORDS =
            List.of(
                    FirnProperties.class,
                    FirnProperties.TierProperties.class,
                    FirnProperties.TopicProperties.class,
                    FirnProperties.ListenerProperties.class,
                    FirnProperties.ServerProperties.class);

    @Test
    void shouldListAllProperties() throws IOException {
        String source = Files.readString(SOURCE);
        StringBuilder table =
                new StringBuilder("| property | default | meaning |\n|---|---|---|\n");
        for (Class<?> type : RECORDS) {
            for (RecordComponent each : type.getRecordComponents()) {
                if (type != FirnProperties.class || each.getName().equals("directory")) {
                    table.append(row(type, each, source));
                }
            }
        }
        GeneratedPart.check("docs/guide/spring.md", "properties", table.toString());
    }

    private static String row(Class<?> type, RecordComponent property, String source) {
        String name = property.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        String prefix = "firn." + PREFIXES.getOrDefault(type, "");
        return "| `"
                + prefix
                + name
                + "` | "
                + defaultOf(type, property.getName())
                + " | "
                + meaning(type, property.getName(), source)
                + " |\n";
    }

    /** The annotation is that of the constructor's parameter. */
    private static String defaultOf(Class<?> type, String name) {
        for (var each : type.getDeclaredConstructors()[0].getParameters()) {
            DefaultValue value = each.getAnnotation(DefaultValue.class);
            if (each.getName().equals(name) && value != null && value.value().length > 0) {
                return "`" + value.value()[0] + "`";
            }
        }
        return "";
    }

    private static String meaning(Class<?> type, String name, String source) {
        int at = source.indexOf("record " + type.getSimpleName() + "(");
        String javadoc = source.substring(source.lastIndexOf("/**", at), at);
        Matcher matcher =
                Pattern.compile("@param " + name + "\\s([^@]*?)\\s*(?=\\* @|\\*/)")
                        .matcher(javadoc);
        if (!matcher.find()) {
            throw new AssertionError(name + " has no @param");
        }
        return matcher.group(1).replaceAll("\\s*\\n\\s*\\*\\s*", " ").replace("\"", "`").strip();
    }
}
