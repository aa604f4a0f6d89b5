package io.firn.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** Who may know whom, as ARCHITECTURE.md has it. */
class RoomsTest {
    private static final JavaClasses SERVER =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.firn.server");

    private static ArchRule elsewhere(String... packages) {
        return noClasses()
                .that()
                .haveNameNotMatching("io.firn.server.(Storage|MigratorMetrics)")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages);
    }

    private static ArchRule fromTo(String room, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(room)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others);
    }

    @Test
    void shouldNameTiersAndTheMigratorWhereTheyAreMadeOnly() {
        elsewhere("io.firn.file..", "io.firn.pmem..", "io.firn.migrator..").check(SERVER);
        classes()
                .that()
                .haveNameMatching("io.firn.server.(Storage|MigratorMetrics)")
                .should()
                .bePackagePrivate()
                .check(SERVER);
    }

    @Test
    void shouldUseWhatCoreExportsOnly() {
        elsewhere("io.firn.store..", "io.firn.compress..").check(SERVER);
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.firn.server.log.ForeignRecords")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.firn.batch..")
                .because("only what a client sends is looked at as bytes of a batch")
                .check(SERVER);
    }

    @Test
    void shouldBeBuiltInLayers() {
        String wire = "io.firn.server.wire..";
        String log = "io.firn.server.log..";
        String group = "io.firn.server.group..";
        fromTo("io.firn.server.config..", wire, log, group).check(SERVER);
        fromTo(wire, log, group).check(SERVER);
        fromTo(log, group).check(SERVER);
    }
}
