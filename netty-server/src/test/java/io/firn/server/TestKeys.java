package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A key and its certificate, made by the JDK's keytool, in the forms that Kafka reads. */
final class TestKeys {
    static final String PASSWORD = "of-a-test";
    private static final String ALIAS = "it";

    private final Path directory;
    private final Path file;

    private TestKeys(Path directory, Path file) {
        this.directory = directory;
        this.file = file;
    }

    /** A key that was made before. */
    static TestKeys of(Path directory, String name) {
        return new TestKeys(directory, directory.resolve(name + ".p12"));
    }

    /** Makes a key for this machine, and a certificate that it has signed itself. */
    static TestKeys make(Path directory, String name) throws Exception {
        return make(directory, name, List.of());
    }

    /** Makes a key that signs others. */
    static TestKeys authority(Path directory, String name) throws Exception {
        return make(directory, name, List.of("-ext", "bc:c"));
    }

    /** Makes a key with a certificate, signed by itself, that has expired. */
    static TestKeys expired(Path directory, String name) throws Exception {
        return make(directory, name, List.of("-startdate", "-9d", "-validity", "1"));
    }

    private static TestKeys make(Path directory, String name, List<String> more) throws Exception {
        Path file = directory.resolve(name + ".p12");
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "-genkeypair",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-dname",
                                "CN=" + name + ", O=Firn",
                                "-ext",
                                "san=ip:127.0.0.1,dns:localhost",
                                "-storetype",
                                "PKCS12"));
        all.addAll(more);
        keytool(file, all);
        return new TestKeys(directory, file);
    }

    /** Makes a key with a certificate, signed by this one, that expires in a few seconds. */
    TestKeys signShortLived(String name, int seconds) throws Exception {
        TestKeys signed = make(directory, name);
        Path request = directory.resolve(name + ".csr");
        Path certificate = directory.resolve(name + ".crt");
        keytool(signed.file, List.of("-certreq", "-file", request.toString()));
        keytool(
                file,
                List.of(
                        "-gencert",
                        "-startdate",
                        "-1d+" + seconds + "S",
                        "-validity",
                        "1",
                        "-infile",
                        request.toString(),
                        "-outfile",
                        certificate.toString()));
        KeyStore store = load(signed.file);
        try (InputStream in = Files.newInputStream(certificate)) {
            Certificate own = CertificateFactory.getInstance("X.509").generateCertificate(in);
            store.setKeyEntry(
                    ALIAS,
                    key(store),
                    PASSWORD.toCharArray(),
                    new Certificate[] {own, certificate()});
        }
        save(store, signed.file);
        return signed;
    }

    private static void keytool(Path store, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(arguments);
        command.addAll(
                List.of("-alias", ALIAS, "-keystore", store.toString(), "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(keytool.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS), said);
        assertEquals(0, keytool.exitValue(), said);
    }

    /** The key store. */
    Path file() {
        return file;
    }

    private static KeyStore load(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static void save(KeyStore store, Path file)
            throws GeneralSecurityException, IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
    }

    Certificate certificate() throws GeneralSecurityException, IOException {
        return load(file).getCertificate(ALIAS);
    }

    /** A store that trusts these. */
    static Path trusting(Path directory, TestKeys... all) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (TestKeys each : all) {
            store.setCertificateEntry(each.file.getFileName().toString(), each.certificate());
        }
        Path file = Files.createTempFile(directory, "trusted", ".p12");
        save(store, file);
        return file;
    }

    /** The key and its certificate, in the older form of Java. */
    Path asJks() throws Exception {
        KeyStore from = load(file);
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setKeyEntry(
                ALIAS, key(from), PASSWORD.toCharArray(), from.getCertificateChain(ALIAS));
        Path to = Files.createTempFile(directory, "keys", ".jks");
        save(store, to);
        return to;
    }

    private static Key key(KeyStore store) throws GeneralSecurityException {
        return store.getKey(ALIAS, PASSWORD.toCharArray());
    }

    /** The key and its certificate, as text. */
    Path asPem() throws Exception {
        Path to = Files.createTempFile(directory, "keys", ".pem");
        Files.writeString(to, pemKey() + pemCertificate());
        return to;
    }

    String pemKey() throws Exception {
        return pem("PRIVATE KEY", key(load(file)).getEncoded());
    }

    String pemCertificate() throws Exception {
        return pem("CERTIFICATE", certificate().getEncoded());
    }

    private static String pem(String what, byte[] bytes) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }

    /** Puts these in the place of others, at once. */
    void replace(Path other) throws IOException {
        Path beside = other.resolveSibling("beside");
        Files.copy(file, beside, StandardCopyOption.REPLACE_EXISTING);
        Files.move(beside, other, StandardCopyOption.ATOMIC_MOVE);
    }

    // ---- for servers and clients

    /** The keys of a server or of a client's certificate. */
    Map<String, String> keystore() {
        Map<String, String> all = new HashMap<>();
        all.put("ssl.keystore.location", file.toString());
        all.put("ssl.keystore.password", PASSWORD);
        return all;
    }

    /** The keys of whoever trusts these. */
    static Map<String, String> truststore(Path trusted) {
        return Map.of(
                "ssl.truststore.location", trusted.toString(), "ssl.truststore.password", PASSWORD);
    }

    /** A connection by this protocol that trusts a store, and has a certificate or none. */
    static SSLSocket connect(int port, Path trusted, TestKeys own, String protocol)
            throws Exception {
        return connect(port, context(trusted, own), protocol);
    }

    /** Another connection of the same context resumes its session. */
    static SSLSocket connect(int port, SSLContext context, String protocol) throws IOException {
        Socket plain = new Socket("127.0.0.1", port);
        plain.setSoTimeout(30_000);
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
        socket.setEnabledProtocols(new String[] {protocol});
        socket.startHandshake();
        return socket;
    }

    static SSLContext context(Path trusted, TestKeys own) throws Exception {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(load(trusted));
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own == null ? null : load(own.file), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
