package io.firn.server.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Who leads a group, which protocol it uses, and who belongs to it. */
class MembersTest {
    private final Members members = new Members();

    private static Member member(String id, String instance, String... protocols) {
        Map<String, byte[]> map = new LinkedHashMap<>();
        for (String each : protocols) {
            map.put(each, new byte[] {1});
        }
        return new Member(
                new Member.Identity(id, instance, "client", "/host"), 10_000, 60_000, map);
    }

    @Test
    void shouldChooseTheProtocolThatMostMembersPreferOfThoseThatAllSupport() {
        members.add(member("a", null, "range", "sticky", "own"));
        members.add(member("b", null, "sticky", "range"));
        members.add(member("c", null, "sticky", "range"));
        assertEquals("sticky", members.vote());
        assertFalse(members.haveInCommon(Set.of("own")));
        Member last = members.find("c");
        members.remove(last);
        members.remove(members.find("b"));
        assertTrue(members.haveInCommon(Set.of("own")));
        assertEquals("range", members.vote());
    }

    @Test
    void shouldPassTheLeadToTheMemberThatJoinedNext() {
        members.add(member("a", null, "range"));
        members.add(member("b", null, "range"));
        members.add(member("c", null, "range"));
        assertTrue(members.isLeader("a"));
        members.remove(members.find("a"));
        assertEquals("b", members.leader());
        members.remove(members.find("b"));
        members.remove(members.find("c"));
        assertNull(members.leader());
        assertTrue(members.isEmpty());
    }

    @Test
    void shouldFenceTheOldProcessOfAStaticMember() {
        Member old = member("i-1", "i", "range");
        members.add(old);
        members.replace(old, member("i-2", "i", "range"));
        assertEquals("i-2", members.idOf("i"));
        assertTrue(members.isLeader("i-2"));
        assertEquals(Errors.FENCED_INSTANCE_ID, members.check("i-1", "i"));
        assertEquals(Errors.NONE, members.check("i-2", "i"));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, members.check("i-1", null));
        assertEquals(Errors.UNKNOWN_MEMBER_ID, members.check("i-2", "other"));
    }

    @Test
    void shouldCountTheBytesOfMembersAsTheyComeChangeAndGo() {
        int limit = 8 << 20;
        Member large = member("a", null, "x".repeat(limit / 2));
        members.add(large);
        assertFalse(members.hasRoomFor(limit / 2, null));
        assertTrue(members.hasRoomFor(limit / 2, large), "in its place");
        members.update(large, Map.of("range", new byte[1]), 10_000, 60_000);
        assertTrue(members.hasRoomFor(limit / 2, null));
        members.remove(large);
        assertTrue(members.hasRoomFor(limit, null));
        assertFalse(members.hasRoomFor(limit + 1, null));
    }
}
