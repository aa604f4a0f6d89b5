package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.firn.spi.BlockReader.BlockReusedException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the API consists of, and what applications catch. */
class PublicTypesTest {
    private static final Set<String> EXPORTED =
            Set.of("io.firn", "io.firn.host", "io.firn.spi", "io.firn.medium", "io.firn.stream");

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.firn");

    /** All unchecked exceptions of the API, by what their catcher does. */
    private static final Map<Class<?>, String> BY_REACTION =
            Map.of(
                    RetryableException.class, // try again
                    """
                    BusyException RetryableException StoreFullException StoreLockedException
                    """,
                    RefusedException.class, // decide what to do instead
                    """
                    BatchTooLargeException ClosedException InvalidBatchException
                    LimitExceededException MissingCodecException OffsetOutOfRangeException
                    OutOfOrderSequenceException ProducerFencedException RecordTooLargeException
                    RefusedException ReplicatedTopicException ServiceAttachedException
                    TopicExistsException TruncatedException UnexpectedOffsetException
                    UnknownProducerException UnknownTopicException
                    """,
                    MediumException.class, // look at the medium
                    """
                    DamagedRangeException LostMarkerException MediumException PoisonedException
                    StoreOpenException UnreadableTopicException
                    """,
                    IllegalArgumentException.class, // correct the program
                    """
                    InvalidOptionException
                    """,
                    IllegalStateException.class, // correct the program
                    """
                    TransactionStateException
                    """);

    @Test
    void shouldGiveEveryExceptionOneThingToDo() {
        Map<String, Set<String>> expected = new TreeMap<>();
        BY_REACTION.forEach(
                (kind, names) ->
                        expected.put(
                                kind.getSimpleName(),
                                new TreeSet<>(Set.of(names.trim().split("\\s+")))));
        Map<String, Set<String>> found = new TreeMap<>();
        CLASSES.stream()
                .filter(each -> each.isAssignableTo(RuntimeException.class))
                .filter(each -> EXPORTED.contains(each.getPackageName()))
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(each -> !each.isEquivalentTo(FirnException.class))
                .filter(each -> !each.isEquivalentTo(BlockReusedException.class)) // for readers
                .forEach(
                        each ->
                                found.computeIfAbsent(kindOf(each), k -> new TreeSet<>())
                                        .add(each.getSimpleName()));
        assertEquals(expected, found);
    }

    private static String kindOf(JavaClass exception) {
        return BY_REACTION.keySet().stream()
                .filter(exception::isAssignableTo)
                .map(Class::getSimpleName)
                .findFirst()
                .orElse("of no kind");
    }

    @Test
    void shouldAllowNoFailureThatIsOfNoKind() {
        assertTrue(Modifier.isAbstract(FirnException.class.getModifiers()));
        assertEquals(
                Set.of(RetryableException.class, RefusedException.class, MediumException.class),
                Set.of(FirnException.class.getPermittedSubclasses()));
        for (Constructor<?> each : FirnException.class.getDeclaredConstructors()) {
            assertFalse(Modifier.isPublic(each.getModifiers()), each::toString);
        }
    }

    @Test
    void shouldHaveAtMostSixtyPublicTypesForApplications() {
        Set<String> found = new TreeSet<>();
        CLASSES.stream()
                .filter(each -> each.getPackageName().equals("io.firn"))
                .filter(JavaClass::isTopLevelClass)
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                .forEach(each -> found.add(each.getSimpleName()));
        assertTrue(found.size() > 40 && found.size() <= 60, () -> found.size() + ": " + found);
    }
}
