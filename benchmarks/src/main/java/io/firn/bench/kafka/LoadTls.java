package io.firn.bench.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The key of the servers of a benchmark over TLS, and what all of them and the load agree on. */
final class LoadTls {
    static final String PROTOCOL = "TLSv1.3";

    /** What Java's clients and servers agree on by default. */
    static final String SUITE = "TLS_AES_256_GCM_SHA384";

    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "server";

    private final Path file;

    /** Makes a key in a directory. */
    LoadTls(Path directory) throws IOException, InterruptedException {
        file = directory.resolve("server.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                ALIAS,
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-dname",
                                "CN=localhost",
                                "-ext",
                                "san=ip:127.0.0.1",
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                PASSWORD,
                                "-keystore",
                                file.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("keytool.log").toFile())
                        .start();
        if (keytool.waitFor() != 0) {
            throw new IOException(
                    "keytool failed:\n" + Files.readString(directory.resolve("keytool.log")));
        }
    }

    /** Returns settings that Kafka and Firn both know. */
    List<String> settings() {
        return List.of(
                "ssl.keystore.location=" + file,
                "ssl.keystore.password=" + PASSWORD,
                "ssl.keystore.type=PKCS12",
                "ssl.enabled.protocols=" + PROTOCOL);
    }

    /** Returns what a load needs to connect. */
    SSLContext context() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance(PROTOCOL);
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}
