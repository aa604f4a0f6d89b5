package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SendFailureTest {
    private static final int BROKEN_PIPE = -32;
    private static final int RESET = -104;
    private static final int NO_MEDIUM = -5; // EIO

    /** The system's message, which Netty passes on, may be in any language. */
    @Test
    void shouldTellAPeerThatIsGoneFromABrokenFileByTheNumberOfTheError() {
        assumeTrue(Epoll.isAvailable()); // loads Netty's native code, which the error needs
        assertTrue(SendFailure.isOfPeer(failed(BROKEN_PIPE)));
        assertTrue(SendFailure.isOfPeer(failed(RESET)));
        assertFalse(SendFailure.isOfPeer(failed(NO_MEDIUM)));
    }

    private static IOException failed(int number) {
        return new Errors.NativeIoException("sendfile", number);
    }
}
