package io.firn.server.wire;

import io.firn.server.security.TlsEngines;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Engines of OpenSSL or BoringSSL, which use less processor time than the JDK's. Their memory is
 * outside of the heap: the handler of a connection releases its engine; what they have in common is
 * released when the garbage collector finds that no engine uses it. Thread-safe.
 */
public final class OpenSslEngines implements TlsEngines {
    private final SslContext context;

    /**
     * Creates them.
     *
     * @throws GeneralSecurityException if the library is not there or cannot use the options
     */
    public OpenSslEngines(Options options) throws GeneralSecurityException {
        if (!OpenSsl.isAvailable()) {
            throw new GeneralSecurityException(
                    "firn.ssl.engine=openssl needs Netty's library for this system; add"
                            + " io.netty:netty-tcnative-boringssl-static, in the version of Netty's"
                            + " BOM and with the classifier of the system, such as linux-x86_64, to"
                            + " the class path, or use jdk",
                    OpenSsl.unavailabilityCause());
        }
        try {
            context =
                    SslContextBuilder.forServer(options.keys())
                            .sslProvider(SslProvider.OPENSSL)
                            .trustManager(options.trusted())
                            .clientAuth(clientAuth(options.clientAuth()))
                            .protocols(options.protocols())
                            .ciphers(options.suites(), SupportedCipherSuiteFilter.INSTANCE)
                            .sessionCacheSize(options.sessions())
                            .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new GeneralSecurityException("OpenSSL cannot use it: " + e.getMessage(), e);
        }
    }

    private static ClientAuth clientAuth(String value) {
        return switch (value) {
            case "required" -> ClientAuth.REQUIRE;
            case "requested" -> ClientAuth.OPTIONAL;
            default -> ClientAuth.NONE;
        };
    }

    /** The engine of a handler takes several records at a time, one made alone takes one. */
    @Override
    public SSLEngine newEngine(String peerAddress, int peerPort) {
        return context.newHandler(ByteBufAllocator.DEFAULT, peerAddress, peerPort).engine();
    }
}
