package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnreadPartitionsTest {
    private static final int COUNT = 21;

    private final Object tailer = new Object();

    private TopicTailers.UnreadPartitions cleared() {
        int[] partitions = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            partitions[i] = 2 * i;
        }
        TopicTailers.UnreadPartitions unread =
                new TopicTailers.UnreadPartitions(tailer, partitions);
        for (int place = 0; place < COUNT; place++) {
            assertEquals(place, unread.next(place, COUNT));
            unread.clear(place);
        }
        return unread;
    }

    private static List<Integer> noted(TopicTailers.UnreadPartitions unread) {
        List<Integer> places = new ArrayList<>();
        for (int i = unread.next(0, COUNT); i < COUNT; i = unread.next(i + 1, COUNT)) {
            places.add(i);
        }
        return places;
    }

    @Test
    void shouldKnowThePlacesOfThePartitionsThatAreRead() {
        TopicTailers.UnreadPartitions unread = cleared();
        assertEquals(3, unread.place(6));
        assertEquals(-1, unread.place(7));
        assertEquals(-1, unread.place(-1));
        assertEquals(-1, unread.place(2 * COUNT));
    }

    @Test
    void shouldFindWhatIsPublishedFromAnyPlaceOn() {
        for (int first = 0; first < COUNT; first++) {
            for (int second = first; second < COUNT; second++) {
                TopicTailers.UnreadPartitions unread = cleared();
                assertEquals(List.of(), noted(unread));
                for (int place : new int[] {first, second}) {
                    unread.begin(2 * place);
                    unread.end(2 * place);
                }
                assertEquals(
                        first == second ? List.of(first) : List.of(first, second), noted(unread));
                assertEquals(second, unread.next(first + 1 > second ? first : first + 1, COUNT));
                assertEquals(second + 1, unread.next(second + 1, second + 1));
            }
        }
    }

    @Test
    void shouldKeepANoteWhileAnEndIsBeingPublishedAndAfterIt() {
        TopicTailers.UnreadPartitions unread = cleared();
        unread.begin(6);
        unread.clear(3);
        unread.note(3);
        assertEquals(List.of(3), noted(unread));
        unread.clear(3);
        unread.end(6);
        assertEquals(List.of(3), noted(unread));
        unread.clear(3);
        assertEquals(List.of(), noted(unread));
        unread.note(3);
        assertEquals(List.of(3), noted(unread));
    }

    @Test
    void shouldIgnorePartitionsThatAreNotRead() {
        TopicTailers.UnreadPartitions unread = cleared();
        unread.begin(7);
        unread.end(1_000);
        assertEquals(List.of(), noted(unread));
    }

    @Test
    void shouldRemoveTailersThatWereClosedOrAbandoned() {
        TopicTailers tailers = new TopicTailers();
        TopicTailers.UnreadPartitions kept = cleared();
        TopicTailers.UnreadPartitions closed = cleared();
        tailers.add(kept);
        tailers.add(closed);
        tailers.remove(closed);
        tailers.begin(0);
        tailers.end(0);
        assertEquals(List.of(0), noted(kept));
        assertEquals(List.of(), noted(closed));
        assertTrue(!kept.isAbandoned());
    }
}
