package io.firn.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The dependencies between packages and classes, as docs/internals/architecture.md describes them.
 */
class PackageDependenciesTest {
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

    private static ArchRule fromTo(String from, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others);
    }

    @Test
    void shouldUseTiersAndTheMigratorOnlyWhereTheyAreCreated() {
        elsewhere("io.firn.file..", "io.firn.pmem..", "io.firn.migrator..").check(SERVER);
        classes()
                .that()
                .haveNameMatching("io.firn.server.(Storage|MigratorMetrics)")
                .should()
                .bePackagePrivate()
                .check(SERVER);
    }

    @Test
    void shouldUseOnlyExportedPackagesOfCore() {
        elsewhere("io.firn.store..", "io.firn.open..").check(SERVER);
        noClasses()
                .that()
                .haveNameNotMatching(
                        "io.firn.server.log.(FetchedAbortedTransactions|ProducedBatch|PartitionReader)")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.firn.format..")
                .because(
                        "only what a client sends, and what no client is to see first, is looked"
                                + " at as bytes of a batch")
                .check(SERVER);
    }

    @Test
    void shouldBeBuiltInLayers() {
        String state = "io.firn.server.state..";
        String quota = "io.firn.server.quota..";
        String config = "io.firn.server.config..";
        String security = "io.firn.server.security..";
        String wire = "io.firn.server.wire..";
        String log = "io.firn.server.log..";
        String admin = "io.firn.server.admin..";
        String group = "io.firn.server.group..";
        String tx = "io.firn.server.tx..";
        String netty = "io.netty..";
        String kafka = "org.apache..";
        fromTo(state, quota, config, security, wire, log, admin, group, tx, netty, kafka)
                .check(SERVER);
        fromTo(quota, config, security, wire, log, admin, group, tx, netty, kafka).check(SERVER);
        fromTo(config, state, quota, security, wire, log, admin, group, tx).check(SERVER);
        fromTo(security, wire, log, admin, group, tx, netty).check(SERVER);
        fromTo(wire, log, admin, group, tx).check(SERVER);
        fromTo(log, admin, group, tx).check(SERVER);
        fromTo(admin, group, tx).check(SERVER);
        fromTo(group, admin, tx).check(SERVER);
        fromTo(tx, admin).check(SERVER);
    }

    @Test
    void packagesShouldHaveNoDependencyCircle() {
        slices().matching("io.firn.(**)").should().beFreeOfCycles().check(SERVER);
    }

    @Test
    void classesShouldHaveNoDependencyCircle() {
        slices().assignedFrom(
                        new SliceAssignment() {
                            @Override
                            public SliceIdentifier getIdentifierOf(JavaClass type) {
                                return SliceIdentifier.of(type.getName().replaceAll("\\$.*", ""));
                            }

                            @Override
                            public String getDescription() {
                                return "top-level classes";
                            }
                        })
                .should()
                .beFreeOfCycles()
                .check(SERVER);
    }

    @Test
    void shouldExposeNoInternalTypeInItsApi() {
        Set<String> exposed = new TreeSet<>();
        for (JavaClass type : SERVER) {
            if (isApi(type)) {
                for (JavaCodeUnit each : type.getCodeUnits()) {
                    boolean visible =
                            each.getModifiers().contains(JavaModifier.PUBLIC)
                                    || each.getModifiers().contains(JavaModifier.PROTECTED);
                    if (visible && mentionsInternal(each)) {
                        exposed.add(each.getFullName());
                    }
                }
            }
        }
        assertEquals(Set.of(), exposed);
    }

    private static boolean isApi(JavaClass type) {
        return type.getPackageName().matches("io.firn.server(.config)?")
                && type.getModifiers().contains(JavaModifier.PUBLIC);
    }

    private static boolean mentionsInternal(JavaCodeUnit unit) {
        return Stream.concat(
                        unit.getReturnType().getAllInvolvedRawTypes().stream(),
                        unit.getParameterTypes().stream()
                                .flatMap(each -> each.getAllInvolvedRawTypes().stream()))
                .map(JavaClass::getPackageName)
                .anyMatch(
                        name ->
                                name.matches(
                                        "(io.firn.server.(security|quota|state|wire|log|admin|group|tx)|io.netty|org.apache).*"));
    }
}
