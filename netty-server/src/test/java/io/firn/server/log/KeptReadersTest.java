package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.server.wire.Shares;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeptReadersTest {
    private final Shares shares = new Shares(10);
    private final List<ServedPartition> partitions =
            IntStream.range(0, 20).mapToObj(i -> new ServedPartition("orders", null)).toList();

    private void keep(KeptReaders readers, int count) {
        partitions.subList(0, count).forEach(each -> readers.keep(each, new PartitionReader(null)));
    }

    /** Takes them, as a fetch does, and keeps them again. */
    private long count(KeptReaders readers) {
        List<ServedPartition> kept =
                partitions.stream().filter(each -> readers.take(each) != null).toList();
        kept.forEach(each -> readers.keep(each, new PartitionReader(null)));
        return kept.size();
    }

    @Test
    void shouldKeepTheShareOfTheirClientOnHoweverManyConnections() {
        KeptReaders first = new KeptReaders("client", shares);
        KeptReaders second = new KeptReaders("client", shares);
        keep(first, 4); // one of each connection does not count
        keep(second, 3);
        assertEquals(5, shares.usedBytes());
        assertEquals(4, count(first));
        assertEquals(3, count(second));
        KeptReaders third = new KeptReaders("client", shares);
        keep(third, 20);
        assertEquals(1, count(third));
        KeptReaders other = new KeptReaders("other", shares);
        keep(other, 6);
        assertEquals(6, count(other));
        assertEquals(10, shares.usedBytes());
    }

    @Test
    void shouldGiveTheirPlacesBackWhenTheConnectionIsClosedWhileAReaderIsInUse() {
        KeptReaders readers = new KeptReaders("client", shares);
        keep(readers, 5);
        PartitionReader used = readers.take(partitions.get(0));
        readers.close();
        readers.keep(partitions.get(0), used);
        assertEquals(0, count(readers));
        assertEquals(0, shares.usedBytes());
    }
}
