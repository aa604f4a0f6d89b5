package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Mapping and unmapping in this version of Java. */
class MapperTest {
    @TempDir Path directory;

    /** Unmaps a page that is gone right after it was read, in compiled code. */
    static final class CutBeforeUnmapping {
        private static final int COMPILED_AFTER = 20_000;

        private CutBeforeUnmapping() {}

        /** With the file. */
        public static void main(String[] arguments) throws IOException {
            Path path = Path.of(arguments[0]);
            Files.write(path, new byte[8192]);
            Mapper.ByCleaner mapper = new Mapper.ByCleaner();
            int sum = 0;
            for (int i = 0; i < COMPILED_AFTER; i++) {
                sum += readAndUnmap(mapper, (MappedByteBuffer) ByteBuffer.allocateDirect(8));
            }
            System.out.println("read " + sum);
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                MappedByteBuffer mapping =
                        mapper.map(file.getChannel(), MapMode.READ_WRITE, 0, 8192).buffer();
                file.setLength(0);
                readAndUnmap(mapper, mapping);
            } catch (InternalError e) {
                System.out.println("told");
            }
            boolean isMapped =
                    Files.readString(Path.of("/proc/self/maps")).contains(path.toString());
            System.out.println(isMapped ? "still mapped" : "unmapped");
        }

        private static byte readAndUnmap(Mapper.ByCleaner mapper, MappedByteBuffer mapping) {
            byte read = mapping.get(0);
            mapper.clean(mapping);
            return read;
        }
    }

    /** Later versions of Java tell of the fault in the access itself. */
    @Test
    @EnabledForJreRange(max = JRE.JAVA_21, disabledReason = "later versions unmap by an Arena")
    void shouldOutliveAPageThatIsGoneWhenItIsUnmapped() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CutBeforeUnmapping.class.getName(),
                                directory.resolve("file").toString())
                        .redirectErrorStream(true);
        builder.environment().remove("JAVA_TOOL_OPTIONS"); // would speak first
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("read 0\ntold\nunmapped\n", said);
        assertEquals(0, process.waitFor());
    }
}
