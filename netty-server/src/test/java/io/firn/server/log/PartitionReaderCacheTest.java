package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.server.wire.ClientShares;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionReaderCacheTest {
    private final ClientShares shares = new ClientShares(10);
    private final List<ServedPartition> partitions =
            IntStream.range(0, 20).mapToObj(i -> new ServedPartition("orders", null)).toList();

    private void keep(PartitionReaderCache readers, int count) {
        partitions.subList(0, count).forEach(each -> readers.keep(each, new PartitionReader(null)));
    }

    /** Takes them, as a fetch does, and keeps them again. */
    private long count(PartitionReaderCache readers) {
        List<ServedPartition> kept =
                partitions.stream().filter(each -> readers.take(each) != null).toList();
        kept.forEach(each -> readers.keep(each, new PartitionReader(null)));
        return kept.size();
    }

    @Test
    void shouldKeepTheShareOfTheirClientOnHoweverManyConnections() {
        PartitionReaderCache first = new PartitionReaderCache("client", shares);
        PartitionReaderCache second = new PartitionReaderCache("client", shares);
        keep(first, 4); // one of each connection does not count
        keep(second, 3);
        assertEquals(5, shares.usedBytes());
        assertEquals(4, count(first));
        assertEquals(3, count(second));
        PartitionReaderCache third = new PartitionReaderCache("client", shares);
        keep(third, 20);
        assertEquals(1, count(third));
        PartitionReaderCache other = new PartitionReaderCache("other", shares);
        keep(other, 6);
        assertEquals(6, count(other));
        assertEquals(10, shares.usedBytes());
    }

    @Test
    void shouldGiveTheirPlacesBackWhenTheConnectionIsClosedWhileAReaderIsInUse() {
        PartitionReaderCache readers = new PartitionReaderCache("client", shares);
        keep(readers, 5);
        PartitionReader used = readers.take(partitions.get(0));
        readers.close();
        readers.keep(partitions.get(0), used);
        assertEquals(0, count(readers));
        assertEquals(0, shares.usedBytes());
    }
}
