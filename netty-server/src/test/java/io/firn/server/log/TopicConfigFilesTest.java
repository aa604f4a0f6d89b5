package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.FirnException;
import io.firn.MediumException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change in the middle: what the file and the options say together. */
class TopicConfigFilesTest {
    private static final TopicConfigSources BEFORE =
            new TopicConfigSources(
                    Map.of("retention.ms", "5000", "max.message.bytes", "4000"),
                    Map.of("retention.ms", "-1"),
                    Map.of());

    @TempDir Path directory;
    private final UUID id = UUID.randomUUID();
    private TopicOptions options =
            TopicOptions.defaults().withRetentionAge(Duration.ofMillis(5_000));
    private Runnable atUpdate = () -> {};
    private Runnable afterUpdate = () -> {};
    private TopicConfigFiles files;
    private Topic topic;

    @BeforeEach
    void create() throws Exception {
        files = new TopicConfigFiles(FileMedium.real(), directory);
        topic =
                (Topic)
                        Proxy.newProxyInstance(
                                Topic.class.getClassLoader(),
                                new Class<?>[] {Topic.class},
                                (proxy, method, arguments) -> answer(method.getName(), arguments));
        files.write(topic, BEFORE);
    }

    private Object answer(String method, Object[] arguments) {
        return switch (method) {
            case "id" -> id;
            case "name" -> "orders";
            case "options" -> options;
            case "updateOptions" -> {
                atUpdate.run();
                @SuppressWarnings("unchecked")
                UnaryOperator<TopicOptions> change = (UnaryOperator<TopicOptions>) arguments[0];
                options = change.apply(options);
                afterUpdate.run();
                yield null;
            }
            default -> throw new AssertionError(method);
        };
    }

    private TopicConfigSources.Change change() {
        return BEFORE.change(
                options, Map.of("retention.ms", "6000", "max.message.bytes", "3000"), Map.of());
    }

    private static void crash() {
        throw new MediumException("a crash");
    }

    @Test
    void shouldReadTheChoicesBeforeTheChangeUntilTheOptionsAreChanged() {
        TopicConfigSources.Change change = change();
        atUpdate = TopicConfigFilesTest::crash;
        assertThrows(FirnException.class, () -> files.change(topic, BEFORE, change, () -> {}));
        assertEquals(BEFORE, files.read(topic));
    }

    @Test
    void shouldReadTheChoicesAfterTheChangeAsSoonAsTheOptionsAreChanged() {
        TopicConfigSources.Change change = change();
        afterUpdate = TopicConfigFilesTest::crash;
        assertThrows(FirnException.class, () -> files.change(topic, BEFORE, change, () -> {}));
        assertEquals(change.choices(), files.read(topic));
        assertEquals("-1", change.choices().application().get("retention.ms"));
    }

    /** Otherwise a later change by the application would bring the choices before it back. */
    @Test
    void shouldForgetTheChoicesBeforeTheChangeAfterIt() {
        TopicConfigSources.Change change = change();
        files.change(topic, BEFORE, change, () -> {});
        options = options.withRetentionAge(Duration.ofMillis(7_000));
        assertEquals(change.choices(), files.read(topic));
    }

    @Test
    void shouldReadNamesOfCursorsThatLookLikeSeveral() {
        for (String name : new String[] {"a,b", "*", " a", "a ", "a%2Cb", "%", "x%y", "ä", "a*"}) {
            String item = CursorNames.encode(name);
            assertEquals(name, CursorNames.decode(item), item);
        }
        assertEquals("x%y", CursorNames.decode("x%y"), "as a client writes it");
    }
}
