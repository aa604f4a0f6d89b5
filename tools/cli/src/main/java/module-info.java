/** Command lines that inspect, repair and export stores. */
module io.firn.tools {
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.firn;
    requires static io.firn.shadow;
    requires io.firn.file;
    requires io.firn.pmem;
    requires java.logging;

    opens io.firn.tools to
            info.picocli;
}
