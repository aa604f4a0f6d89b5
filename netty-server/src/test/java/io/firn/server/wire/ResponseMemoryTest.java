package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which responses have to wait for the memory of others, and that some never do. */
class ResponseMemoryTest {
    private static final int SHARE = 50;

    private final ResponseMemory all = new ResponseMemory(2 * SHARE);

    /** A response that is made in steps of 10 bytes. */
    private static final class Response {
        private final ConnectionResponseMemory connection;
        private final long number;
        private final int wanted;
        private int bytes;

        Response(ConnectionResponseMemory connection, int wanted) {
            this.connection = connection;
            this.number = connection.nextNumber();
            this.wanted = wanted;
        }

        boolean mustWait() {
            return connection.mustWait(number);
        }

        void add() {
            connection.add(number, 10);
            bytes += 10;
        }

        boolean isComplete() {
            return bytes >= wanted;
        }

        void release() {
            connection.release(number);
        }
    }

    private ConnectionResponseMemory connection(String client) {
        return new ConnectionResponseMemory(all, () -> client);
    }

    private Response response(String client, int wanted) {
        return new Response(connection(client), wanted);
    }

    private static void finish(Response response) {
        while (!response.isComplete()) {
            assertFalse(response.mustWait());
            response.add();
        }
    }

    /** All make steps at the same time, as threads do; returns the most that was in use. */
    private static int finishAll(List<Response> responses) {
        List<Response> open = new ArrayList<>(responses);
        int most = 0;
        while (!open.isEmpty()) {
            List<Response> going = open.stream().filter(each -> !each.mustWait()).toList();
            assertNotEquals(List.of(), going, "all wait for each other");
            going.forEach(Response::add);
            most = Math.max(most, open.stream().mapToInt(each -> each.bytes).sum());
            going.stream().filter(Response::isComplete).forEach(Response::release);
            open.removeIf(Response::isComplete);
        }
        return most;
    }

    @Test
    void shouldFinishAllResponsesOfAClientThatTogetherExceedItsShare() {
        List<Response> responses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            responses.add(response("a", 100));
        }
        int most = finishAll(responses);
        assertTrue(most <= SHARE + 4 * 10 + 100, most + " bytes at once");
    }

    @Test
    void shouldFinishAllResponsesOfClientsThatTogetherExceedTheLimit() {
        List<Response> responses = new ArrayList<>();
        for (String client : List.of("a", "b", "c", "d")) {
            for (int i = 0; i < 2; i++) {
                responses.add(response(client, 40));
            }
        }
        finishAll(responses);
    }

    @Test
    void shouldNotWaitForLaterResponsesOfTheSameConnection() {
        ConnectionResponseMemory connection = connection("a");
        Response earlier = new Response(connection, 100);
        Response later = new Response(connection, 100);
        finish(later); // it is sent after the other one
        finish(earlier);
    }

    @Test
    void shouldWaitForEarlierResponsesOfTheSameConnection() {
        ConnectionResponseMemory connection = connection("a");
        Response earlier = new Response(connection, 100);
        Response later = new Response(connection, 100);
        finish(earlier);
        assertTrue(later.mustWait());
        connection.addEncoded(100);
        earlier.release();
        assertTrue(later.mustWait(), "the client has not received the other one");
        connection.addEncoded(-100);
        finish(later);
    }

    @Test
    void shouldKeepTheTurnUntilTheClientHasReceivedTheResponse() {
        Response before = response("a", 60);
        Response first = response("a", 100);
        Response second = response("a", 100);
        Response third = response("a", 100);
        finish(before);
        finish(first);
        assertTrue(second.mustWait());
        assertTrue(third.mustWait());
        before.release();
        first.connection.addEncoded(80);
        first.release();
        assertTrue(second.mustWait(), "a client could use any amount");
        first.connection.addEncoded(-80);
        finish(second);
        assertTrue(third.mustWait());
        second.release();
        finish(third);
    }

    @Test
    void shouldGiveTheTurnOnWhenTheFirstHasUsedNothing() {
        Response other = response("a", 60);
        finish(other);
        Response first = response("a", 10);
        assertFalse(first.mustWait()); // the first in the line
        Response second = response("a", 10);
        assertTrue(second.mustWait());
        first.release();
        assertFalse(second.mustWait());
    }

    @Test
    void shouldGiveTheTurnOnWhenAConnectionEnds() {
        finish(response("a", 60));
        Response first = response("a", 10);
        assertFalse(first.mustWait());
        first.connection.close();
        assertFalse(first.mustWait(), "nobody waits for it");
        Response second = response("a", 10);
        assertFalse(second.mustWait());
    }

    @Test
    void shouldCountForTheClientThatItWasWhenItBegan() {
        List<String> client = new ArrayList<>(List.of("a"));
        ConnectionResponseMemory connection =
                new ConnectionResponseMemory(all, () -> client.get(0));
        connection.add(connection.nextNumber(), 60);
        client.set(0, "b");
        connection.release(0);
        assertFalse(all.isExceeded("a", 0));
        connection.add(connection.nextNumber(), 60);
        assertTrue(all.isExceeded("b", 0));
    }
}
