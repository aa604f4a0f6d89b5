/** Command lines that inspect and repair stores. */
module io.firn.tools {
    requires info.picocli;
    requires io.firn;
    requires io.firn.pmem;

    opens io.firn.tools to
            info.picocli;
}
