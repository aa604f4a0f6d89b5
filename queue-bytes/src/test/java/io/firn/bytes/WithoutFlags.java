package io.firn.bytes;

import io.firn.TopicOptions;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;

/** What a program does that uses typed records; run in a JVM without options. */
final class WithoutFlags {
    private WithoutFlags() {}

    interface Greetings {
        void greet(String name, Item item, long number);
    }

    static final class Item implements BytesMarshallable {
        private int count;

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            bytes.writeInt(count).writeUtf8("text").write8bit("8").writeStopBit(-3);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            count = bytes.readInt();
            bytes.readUtf8();
            bytes.read8bit();
            bytes.readStopBit();
        }
    }

    public static void main(String[] arguments) {
        System.setProperty("java.util.logging.config.file", arguments[1]);
        try (TestStore log = new TestStore(Path.of(arguments[0]), TopicOptions.defaults());
                BytesAppender appender = BytesAppender.of(log.partition.openExclusiveAppender());
                BytesTailer tailer = BytesTailer.of(log.partition.openTailer())) {
            Item item = new Item();
            item.count = 3;
            appender.write(item);
            appender.write(b -> b.writeBoolean(true).writeDouble(1.5).writeUtf8("grün"));
            appender.methodWriter(Greetings.class).greet("Fram", item, 7);
            tailer.read(new Item());
            tailer.read(b -> System.out.println(b.readBoolean() + " " + b.readDouble()));
            Greetings greetings =
                    (name, with, number) ->
                            System.out.println(name + " " + with.count + " " + number);
            tailer.methodReader(greetings).readOne();
        }
    }
}
