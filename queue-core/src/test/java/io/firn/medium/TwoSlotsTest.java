package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TwoSlotsTest {
    private final Long[] slots = new Long[TwoSlots.COUNT];
    private final List<String> stores = new ArrayList<>();
    private boolean failing;

    /** Numbers that are their own sequence numbers. */
    private final class Numbers extends TwoSlots<Long> {
        Numbers(int newestSlot) {
            super(newestSlot);
        }

        @Override
        protected Long read(int slot) {
            return slots[slot];
        }

        @Override
        protected void store(int slot, Long record) throws IOException {
            slots[slot] = null; // torn until it is complete
            if (failing) {
                throw new IOException("on purpose");
            }
            slots[slot] = record;
            stores.add(slot + "=" + record);
        }
    }

    private TwoSlots.Newest<Long> newest() throws IOException {
        return TwoSlots.newest(slot -> slots[slot], Long::longValue);
    }

    @Test
    void shouldFindTheHigherSequenceNumberOfTheIntactSlots() throws IOException {
        assertNull(newest().record());
        assertEquals(-1, newest().slot());
        slots[1] = 4L;
        assertEquals(new TwoSlots.Newest<>(4L, 1), newest());
        slots[0] = 5L;
        assertEquals(new TwoSlots.Newest<>(5L, 0), newest());
        slots[1] = 5L;
        assertEquals(new TwoSlots.Newest<>(5L, 0), newest());
    }

    @Test
    void shouldWriteTheSlotsInTurn() throws IOException {
        TwoSlots<Long> numbers = new Numbers(-1);
        numbers.write(1L);
        numbers.write(2L);
        numbers.write(3L);
        assertEquals(List.of("1=1", "0=2", "1=3"), stores);
    }

    @Test
    void shouldSpareTheNewestRecordWhenAWriteFails() throws IOException {
        slots[1] = 7L;
        TwoSlots<Long> numbers = new Numbers(1);
        failing = true;
        assertThrows(IOException.class, () -> numbers.write(8L));
        assertThrows(IOException.class, () -> numbers.writeBoth(9L));
        assertEquals(Arrays.asList(null, 7L), Arrays.asList(slots));
    }

    @Test
    void shouldSpareTheFirstCopyWhenTheSecondOneFails() throws IOException {
        slots[0] = 7L;
        TwoSlots<Long> numbers = new Numbers(0);
        numbers.write(8L);
        failing = true;
        assertThrows(IOException.class, () -> numbers.write(8L));
        failing = false;
        numbers.write(9L);
        assertEquals(Arrays.asList(9L, 8L), Arrays.asList(slots));
    }

    @Test
    void shouldStoreTheNewestRecordAgainBeforeTheOtherSlotIsWritten() throws IOException {
        slots[1] = 7L;
        TwoSlots<Long> numbers = new Numbers(newest().slot());
        numbers.restore();
        numbers.writeBoth(8L);
        assertEquals(List.of("1=7", "0=8", "1=8"), stores);
    }
}
