package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What applications catch, as the page of the package has it. */
class ExceptionKindsTest {
    private static final List<Class<?>> KINDS =
            List.of(
                    RetryableException.class,
                    RefusedException.class,
                    MediumException.class,
                    IllegalArgumentException.class);

    private static final List<JavaClass> PUBLIC =
            new ClassFileImporter()
                            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                            .importPackages("io.firn")
                            .stream()
                            .filter(each -> each.isAssignableTo(RuntimeException.class))
                            .filter(
                                    each ->
                                            List.of("io.firn", "io.firn.host")
                                                    .contains(each.getPackageName()))
                            .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                            .toList();

    @Test
    void shouldGiveEveryExceptionOneThingToCatch() {
        assertTrue(PUBLIC.size() > 20, PUBLIC::toString);
        List<String> without =
                PUBLIC.stream()
                        .filter(each -> !each.isEquivalentTo(FirnException.class))
                        .filter(each -> KINDS.stream().noneMatch(each::isAssignableTo))
                        .map(JavaClass::getName)
                        .toList();
        assertEquals(List.of(), without);
    }

    @Test
    void shouldReportWrongOptionsAsTheJdkReportsWrongArguments() {
        Exception wrong = new InvalidOptionException("x");
        assertTrue(wrong instanceof IllegalArgumentException);
    }
}
