package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.server.config.ServerConfig;
import io.firn.server.security.AuditLog;
import io.firn.server.security.ListenerSecurity;
import io.firn.server.security.ServerSecurity;
import io.firn.server.security.TlsEngines;
import io.firn.server.wire.OpenSslEngines;
import io.netty.handler.ssl.OpenSsl;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * As {@link TlsTest}, with the engines of BoringSSL; skipped where its library is not there. Those
 * tests that are about connections rather than engines are left out.
 */
class OpenSslTest extends TlsTest {
    private static final Map<String, String> OPENSSL = Map.of("firn.ssl.engine", "openssl");

    @BeforeAll
    static void isThere() {
        Assumptions.assumeTrue(
                OpenSsl.isAvailable(), () -> "no BoringSSL: " + OpenSsl.unavailabilityCause());
    }

    @Override
    Map<String, String> engine() {
        return OPENSSL;
    }

    private static ServerSecurity security(Map<String, String> engine, TlsEngines.Library library) {
        Map<String, String> all = new HashMap<>(serverKeys().keystore());
        all.put("listeners", "SSL://127.0.0.1:0");
        all.putAll(engine);
        return new ServerSecurity(
                ServerConfig.of(all),
                new ListenerSecurity.Services(null, Runnable::run, null, new AuditLog(), library));
    }

    private static String engineOf(Map<String, String> engine) {
        SSLEngine made =
                security(engine, OpenSslEngines::new).listener("SSL").tls().newEngine("here", 1);
        return made.getClass().getPackageName();
    }

    @Test
    void shouldUseTheEngineThatIsConfigured() {
        assertEquals("io.netty.handler.ssl", engineOf(OPENSSL));
        assertTrue(engineOf(Map.of()).startsWith("sun."), engineOf(Map.of()));
    }

    @Test
    void shouldSayWhyALibraryCannotBeUsed() {
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () ->
                                security(
                                        OPENSSL,
                                        options -> {
                                            throw new GeneralSecurityException("add the library");
                                        }));
        assertTrue(e.getMessage().contains("add the library"), e.getMessage());
    }

    @Override
    void shouldSendALargeColdSegmentEncryptedAndPlain() {}

    @Override
    void shouldLoseNoConnectionAndNoRecordWhileCertificatesChangeUnderLoad() {}

    @Override
    void shouldLetInAClientBesideAThousandThatAreSilent() {}

    @Override
    void shouldCloseAHandshakeThatDoesNotEnd() {}

    /** BoringSSL does not tell a failure from a close_notify in place of the next message. */
    @Override
    void shouldNotCallAClientThatClosesWithinItsHandshakeAFailedSignIn() {}

    @Override
    void shouldShowNoSecretToAnAdministrator() {}
}
