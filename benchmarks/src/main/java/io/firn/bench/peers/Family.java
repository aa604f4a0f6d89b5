package io.firn.bench.peers;

import java.util.List;

/** The systems that are compared, and what their JVMs need. */
enum Family {
    FIRN("Firn", List.of()),
    CHRONICLE(
            "Chronicle Queue",
            List.of(
                    "-Dchronicle.analytics.disable=true",
                    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
                    "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                    "--add-opens=java.base/java.io=ALL-UNNAMED",
                    "--add-opens=java.base/java.util=ALL-UNNAMED",
                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")),
    AERON("Aeron Archive", List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED")),
    ROCKSDB("RocksDB", List.of()),
    FILE_CHANNEL("FileChannel", List.of()),
    MAPPING("Mapping", List.of());

    private final String title;
    private final List<String> flags;

    Family(String title, List<String> flags) {
        this.title = title;
        this.flags = flags;
    }

    String title() {
        return title;
    }

    /** Returns the flags that the JVM must have. */
    List<String> flags() {
        return flags;
    }

    /** Whether the classes are those of peers/pom.xml and not in our jar. */
    boolean isApart() {
        return this == AERON || this == ROCKSDB;
    }
}
