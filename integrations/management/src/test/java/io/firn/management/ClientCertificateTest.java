package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The listener with HTTPS that asks clients for certificates. */
class ClientCertificateTest {
    private static final String PASSWORD = "password";
    private static final String KEY = "key";
    private static final String PREFIX = "listener.name.management.ssl.";

    @TempDir Path directory;

    private Process keytool(String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        KEY,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file(name).toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
    }

    private Path file(String name) {
        return directory.resolve(name + ".p12");
    }

    private void makeKeys(String... names) throws Exception {
        Map<String, Process> all = new HashMap<>();
        for (String each : names) {
            all.put(each, keytool(each));
        }
        for (Map.Entry<String, Process> each : all.entrySet()) {
            Path said = directory.resolve(each.getKey() + ".log");
            assertEquals(0, each.getValue().waitFor(), Files.readString(said));
        }
    }

    private KeyStore load(String name) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file(name))) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    /** Returns a store that has the certificate of another one. */
    private KeyStore trusting(String name) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(name, load(name).getCertificate(KEY));
        return store;
    }

    private Map<String, String> keys() throws GeneralSecurityException, IOException {
        Path trusted = file("trusted");
        try (OutputStream out = Files.newOutputStream(trusted)) {
            trusting("operator").store(out, PASSWORD.toCharArray());
        }
        return Map.of(
                "management.listener",
                "https://127.0.0.1:0",
                PREFIX + "keystore.location",
                file("server").toString(),
                PREFIX + "keystore.password",
                PASSWORD,
                PREFIX + "truststore.location",
                trusted.toString(),
                PREFIX + "truststore.password",
                PASSWORD,
                PREFIX + "client.auth",
                "required");
    }

    /** Returns a client that trusts the server. */
    private HttpClient client(String certificate) throws GeneralSecurityException, IOException {
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificate == null ? null : load(certificate), PASSWORD.toCharArray());
        TrustManagerFactory trusted =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(trusting("server"));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static HttpResponse<String> get(HttpClient client, URI uri)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        return client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldServeOnlyClientsWithACertificateThatItTrusts() throws Exception {
        makeKeys("server", "operator", "stranger");
        try (ManagedServer managed = new ManagedServer(directory, keys())) {
            URI uri = managed.server.managementUri().orElseThrow();
            assertEquals("https", uri.getScheme());
            HttpClient operator = client("operator");
            for (String path : new String[] {"/health/live", "/metrics", "/console/"}) {
                assertEquals(200, get(operator, uri.resolve(path)).statusCode(), path);
            }
            for (String other : new String[] {"stranger", null}) {
                HttpClient refused = client(other);
                assertThrows(IOException.class, () -> get(refused, uri.resolve("/health/live")));
            }
            String plain = managed.page("/health/live");
            assertTrue(ManagedServer.statusOf(plain) != 200, plain);
        }
    }
}
