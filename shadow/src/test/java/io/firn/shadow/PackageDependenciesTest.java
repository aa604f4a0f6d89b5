package io.firn.shadow;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The dependencies between packages, as docs/internals/architecture.md describes them. */
class PackageDependenciesTest {
    private static final JavaClasses SHADOW =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.firn.shadow");

    @Test
    void shouldUseKafkasClassesOnlyInThePackageOfTheSource() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.firn.shadow.source")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(SHADOW);
    }

    @Test
    void shouldKeepTheSourceBelowTheCopies() {
        noClasses()
                .that()
                .resideInAPackage("io.firn.shadow.source")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.firn.shadow")
                .check(SHADOW);
    }

    @Test
    void shouldUseOnlyExportedPackagesOfCore() {
        noClasses()
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.describe(
                                "are internal to core",
                                each ->
                                        each.getPackageName().startsWith("io.firn.")
                                                && !each.getPackageName()
                                                        .startsWith("io.firn.shadow")
                                                && !each.getPackageName().equals("io.firn.host")
                                                && !each.getPackageName().equals("io.firn.medium")))
                .check(SHADOW);
    }
}
