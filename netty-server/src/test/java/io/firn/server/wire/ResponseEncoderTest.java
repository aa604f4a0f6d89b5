package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.firn.host.BatchRun;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts that a response is encoded into. */
class ResponseEncoderTest {
    private static final short VERSION = 12;

    private record Run(ByteBuffer bytes) implements BatchRun {
        @Override
        public long baseOffset() {
            return 0;
        }

        @Override
        public long nextOffset() {
            return 1;
        }

        @Override
        public void close() {}
    }

    private static List<ResponseEncoder.Part> encode(LogRecords records) {
        FetchResponseData response = new FetchResponseData();
        response.responses()
                .add(
                        new FetchableTopicResponse()
                                .setTopic("t")
                                .setPartitions(List.of(new PartitionData().setRecords(records))));
        return new ResponseEncoder(UnpooledByteBufAllocator.DEFAULT, null)
                .encode(new ResponseHeaderData(), (short) 1, response, VERSION);
    }

    /** What was read from a disk just now is in the mapping. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLetTheSystemSendRecordsUnlessTheyWereJustLoaded(boolean loaded) {
        LogRecords records = new LogRecords(List.of(new Run(ByteBuffer.allocateDirect(100))));
        if (loaded) {
            records.markLoaded();
        }
        List<ResponseEncoder.Part> parts = encode(records);
        assertEquals(3, parts.size());
        assertFalse(parts.get(0).sendable());
        assertNotNull(parts.get(1).run());
        assertEquals(!loaded, parts.get(1).sendable());
        assertFalse(parts.get(2).sendable());
        parts.forEach(part -> part.bytes().release());
    }
}
