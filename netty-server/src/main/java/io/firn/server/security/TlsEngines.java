package io.firn.server.security;

import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;

/** Makes the engine of each connection, with certificates that do not change. Thread-safe. */
public interface TlsEngines {

    /** Returns the engine of a new connection. */
    SSLEngine newEngine(String peerAddress, int peerPort);

    /** Makes engines that are not the JDK's. */
    interface Library {

        /**
         * Returns engines for these certificates and options.
         *
         * @throws GeneralSecurityException if the library is not there or cannot use them
         */
        TlsEngines engines(Options options) throws GeneralSecurityException;
    }

    /**
     * What the configuration of a listener says.
     *
     * @param trusted the certificates of clients; null if none are asked for
     * @param clientAuth none, requested or required
     * @param suites the names of the cipher suites, as in the JDK
     * @param sessions how many are kept
     */
    record Options(
            KeyManagerFactory keys,
            TrustManagerFactory trusted,
            String clientAuth,
            List<String> protocols,
            List<String> suites,
            int sessions) {}
}
