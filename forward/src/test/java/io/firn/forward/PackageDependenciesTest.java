package io.firn.forward;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The dependencies between packages, as docs/internals/architecture.md describes them. */
class PackageDependenciesTest {
    private static final JavaClasses FORWARD =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.firn.forward");

    @Test
    void shouldUseKafkasClassesOnlyInThePackageOfTheCluster() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.firn.forward.cluster")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(FORWARD);
    }

    @Test
    void shouldUseOnlyThePublicApiOfKafkasClients() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.apache.kafka..internals..",
                        "org.apache.kafka.common.requests..",
                        "org.apache.kafka.common.protocol..",
                        "org.apache.kafka.common.message..")
                .check(FORWARD);
    }

    @Test
    void shouldKeepTheClusterBelow() {
        noClasses()
                .that()
                .resideInAPackage("io.firn.forward.cluster")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.firn.forward")
                .check(FORWARD);
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
                                                        .startsWith("io.firn.forward")
                                                && !each.getPackageName().equals("io.firn.host")))
                .check(FORWARD);
    }
}
