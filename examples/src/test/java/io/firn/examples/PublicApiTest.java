package io.firn.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.RecordId;
import io.firn.host.AbortedTransaction;
import io.firn.host.BatchRun;
import io.firn.host.EpochEnd;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.medium.FileMedium;
import io.firn.medium.TwoSlots;
import io.firn.medium.WholeFile;
import io.firn.pmem.PoolRepair;
import io.firn.spi.Mark;
import io.firn.spi.TierInspector;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.TypePath;

/** What holds for every public type of the published libraries. */
class PublicApiTest {
    /** Timestamps of records, marks and files are a number of ms since 1970. */
    private static final Set<String> TIMESTAMPS =
            Set.of("timestampMs", "timeMs", "beginTimeMs", "sealTimeMs", "modifiedMs");

    /** Each is defined by what it has: another component would make it another thing. */
    private static final Set<Class<?>> VALUES =
            Set.of(
                    RecordId.class, // a place in a topic
                    AbortedTransaction.class, // as in the wire format
                    EpochEnd.class, // as in the wire format
                    ProducerIdentity.class, // as in the wire format
                    CursorMove.class, // an argument, which the caller makes
                    Mark.class, // as on the medium, in versions
                    BatchRun.FileRange.class, // a range
                    FileMedium.FileStatus.class, // an answer, which a file system makes
                    TierInspector.RebuiltFile.class, // an answer of a tier
                    TwoSlots.Newest.class, // an answer to a tier
                    WholeFile.Replacement.class, // an answer to a tier
                    PoolRepair.Offsets.class); // a range

    /** Is run, and not compiled against. */
    private static final String PROGRAM = "io/firn/server/ServerMain";

    private static final Pattern OF_BOOLEAN =
            Pattern.compile("(is|has|may|can|was|verifies|exists|contains|equals)([A-Z].*)?");

    /** Methods that do something, and return whether they did. */
    private static final Set<String> ACTIONS =
            Set.of(
                    "moveNext",
                    "next",
                    "readOne",
                    "giveUp",
                    "abandon",
                    "release",
                    "pin",
                    "tryRelease",
                    "testAndClearUsed");

    /** Uses of {@code Object}, as in {@link #shouldHaveTypesWhereTheyAreKnown}. */
    private static final Set<String> OBJECTS =
            Set.of(
                    "io.firn.bytes.BytesTailer.methodReader", // what has the methods to call
                    "io.firn.medium.FileMedium.identityOf", // a file system's own key of a file
                    "io.firn.medium.FilterFileMedium.identityOf", // the same
                    "io.firn.medium.FileMedium$FileStatus", // the same
                    "io.firn.medium.FileMedium$FileStatus.identity", // the same
                    "io.firn.medium.SendableFile", // the same
                    "io.firn.medium.GuardedLog.log", // what is put into a message
                    "io.firn.medium.FileMedium$MediumLock.identity", // the same
                    "io.firn.server.FirnServer$Builder.set", // numbers and truth values, too
                    "io.firn.server.config.ServerConfig.with"); // the same

    private static List<Executable> executables(Class<?> type) {
        return Stream.<Executable>concat(
                        Stream.of(type.getDeclaredMethods()),
                        Stream.of(type.getDeclaredConstructors()))
                .filter(each -> Modifier.isPublic(each.getModifiers()) && !each.isSynthetic())
                .toList();
    }

    @Test
    void shouldHaveDurationsForTimes() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Class<?> type : PublicTypes.all()) {
            if (type.getSimpleName().endsWith("MXBean")) {
                continue; // JMX has numbers only
            }
            for (Executable each : executables(type)) {
                List<String> names = new ArrayList<>(List.of(each.getName()));
                Stream.of(each.getParameters()).map(Parameter::getName).forEach(names::add);
                for (String name : names) {
                    if (name.matches(".*(Ms|Millis)") && !TIMESTAMPS.contains(name)) {
                        wrong.add(type.getName() + "." + each.getName() + ": " + name);
                    }
                }
            }
        }
        assertEquals(Set.of(), wrong, "times are Durations, moments are Instants");
    }

    @Test
    void shouldHaveNoNumberForUnlimited() throws Exception {
        Set<String> wrong = new TreeSet<>();
        for (Class<?> type : PublicTypes.all()) {
            for (Field field : type.getDeclaredFields()) {
                boolean isNumber = field.getType() == long.class || field.getType() == int.class;
                if (Modifier.isPublic(field.getModifiers())
                        && Modifier.isStatic(field.getModifiers())
                        && isNumber
                        && field.getName()
                                .matches("UNLIMITED|WHOLE_.*|NO_LIMIT|FOREVER|INFINITE")) {
                    wrong.add(type.getName() + "." + field.getName());
                }
            }
        }
        assertEquals(Set.of(), wrong, "unlimited is an empty Optional, or not set");
    }

    @Test
    void shouldBeAbleToAddToWhatUsersAreGiven() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Class<?> type : PublicTypes.all()) {
            boolean isKeys = type.getPackageName().equals("io.firn.server.config");
            if (type.isRecord() && !VALUES.contains(type) && !isKeys) {
                wrong.add(type.getName());
            }
        }
        assertEquals(Set.of(), wrong, "a record that gets a component breaks patterns of it");
    }

    @Test
    void shouldHaveTypesWhereTheyAreKnown() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Class<?> type : PublicTypes.all()) {
            for (Executable each : executables(type)) {
                String signature = each.toGenericString();
                boolean isEquals = each.getName().equals("equals");
                if (signature.contains("java.lang.Object") && !isEquals) {
                    String name = each instanceof Method ? "." + each.getName() : "";
                    wrong.add(type.getName() + name);
                }
            }
        }
        wrong.removeIf(OBJECTS::contains);
        assertEquals(Set.of(), wrong, "an Object says nothing, and can be changed to nothing");
    }

    @Test
    void shouldNameWhatIsTrueOrFalse() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Class<?> type : PublicTypes.all()) {
            for (Method method : type.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())
                        && !method.isSynthetic()
                        && method.getReturnType() == boolean.class
                        && method.getParameterCount() == 0
                        && !ACTIONS.contains(method.getName())
                        && !OF_BOOLEAN.matcher(method.getName()).matches()) {
                    wrong.add(type.getName() + "." + method.getName());
                }
            }
        }
        assertEquals(Set.of(), wrong, "isX, hasX");
    }

    /** Else {@code -Xlint} reports each to users who do not have the library. */
    @Test
    void shouldHaveNoAnnotationOfALibraryInClassFiles() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Class<?> library : PublicTypes.LIBRARIES) {
            for (byte[] file : PublicTypes.classFilesOf(library)) {
                ClassReader reader = new ClassReader(file);
                boolean isPublic = (reader.getAccess() & Opcodes.ACC_PUBLIC) != 0;
                if (isPublic && !reader.getClassName().equals(PROGRAM)) {
                    reader.accept(new Annotations(reader.getClassName(), wrong), 0);
                }
            }
        }
        assertEquals(Set.of(), wrong);
    }

    /** Collects the annotations that are not of the JDK and not ours. */
    private static final class Annotations extends ClassVisitor {
        private final String type;
        private final Set<String> found;

        Annotations(String type, Set<String> found) {
            super(Opcodes.ASM9);
            this.type = type;
            this.found = found;
        }

        private AnnotationVisitor note(String descriptor) {
            if (!descriptor.matches("L(java|jdk|io/firn)/.*")) {
                found.add(type + ": " + descriptor);
            }
            return null;
        }

        @Override
        public AnnotationVisitor visitAnnotation(String descriptor, boolean isVisible) {
            return note(descriptor);
        }

        @Override
        public AnnotationVisitor visitTypeAnnotation(
                int reference, TypePath path, String descriptor, boolean isVisible) {
            return note(descriptor);
        }

        @Override
        public FieldVisitor visitField(
                int access, String name, String descriptor, String signature, Object value) {
            return new FieldVisitor(Opcodes.ASM9) {
                @Override
                public AnnotationVisitor visitAnnotation(String annotation, boolean isVisible) {
                    return note(annotation);
                }
            };
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] throwables) {
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public AnnotationVisitor visitAnnotation(String annotation, boolean isVisible) {
                    return note(annotation);
                }

                @Override
                public AnnotationVisitor visitParameterAnnotation(
                        int parameter, String annotation, boolean isVisible) {
                    return note(annotation);
                }
            };
        }
    }
}
