package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection;
import org.junit.jupiter.api.Test;

/** Which requests have to have their names counted, by the messages of kafka-clients. */
class HashCollisionLimitTest {
    /** Requests with collections that are not served. */
    private static final Set<ApiKeys> NOT_SERVED =
            EnumSet.of(
                    ApiKeys.BEGIN_QUORUM_EPOCH,
                    ApiKeys.END_QUORUM_EPOCH,
                    ApiKeys.UPDATE_FEATURES,
                    ApiKeys.BROKER_REGISTRATION,
                    ApiKeys.CONTROLLER_REGISTRATION,
                    ApiKeys.ADD_RAFT_VOTER,
                    ApiKeys.UPDATE_RAFT_VOTER,
                    ApiKeys.SHARE_FETCH,
                    ApiKeys.SHARE_ACKNOWLEDGE,
                    ApiKeys.ALTER_SHARE_GROUP_OFFSETS);

    private static boolean hasCollection(Class<?> message) {
        return Stream.of(message.getDeclaredFields())
                .anyMatch(each -> isCollection(each.getGenericType()));
    }

    private static boolean isCollection(Type field) {
        if (field instanceof ParameterizedType list) {
            return Stream.of(list.getActualTypeArguments())
                    .anyMatch(HashCollisionLimitTest::isElement);
        }
        return field instanceof Class<?> type
                && (ImplicitLinkedHashCollection.class.isAssignableFrom(type) || isElement(type));
    }

    private static boolean isElement(Type type) {
        return type instanceof Class<?> element
                && element.getName().startsWith("org.apache.kafka.common.message.")
                && hasCollection(element);
    }

    @Test
    void shouldCountNamesWhereverAMessageHasACollectionThatLooksThemUp() {
        Set<ApiKeys> uncounted = EnumSet.noneOf(ApiKeys.class);
        for (ApiKeys key : ApiKeys.values()) {
            if (key.latestVersion() >= 0
                    && HashCollisionLimit.in(key) == null
                    && hasCollection(key.messageType.newRequest().getClass())) {
                uncounted.add(key);
            }
        }
        assertEquals(NOT_SERVED, uncounted);
    }

    private static boolean hasTags(org.apache.kafka.common.protocol.types.Type type) {
        if (type.isArray()) {
            return hasTags(type.arrayElementType().orElseThrow());
        }
        if (type instanceof TaggedFields tags) {
            return tags.numFields() > 0;
        }
        return type instanceof Schema schema
                && Stream.of(schema.fields()).anyMatch(each -> hasTags(each.def.type));
    }

    /** Names in them would be taken for those of a list. */
    @Test
    void shouldMeetNoTagsThatKafkaKnowsWhereNamesAreCounted() {
        for (ApiKeys key : ApiKeys.values()) {
            if (HashCollisionLimit.in(key) != null) {
                assertFalse(
                        hasTags(key.messageType.requestSchemas()[key.latestVersion()]), key.name());
            }
        }
    }
}
