/** Typed records over Chronicle Bytes. */
module io.firn.bytes {
    requires transitive chronicle.bytes;
    requires transitive io.firn;
    requires chronicle.core;
    requires org.objectweb.asm;

    exports io.firn.bytes;
}
