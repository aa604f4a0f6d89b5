package io.firn.server.security;

import io.firn.server.config.Listener;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;

/**
 * Checks that private keys belong to their certificates. Neither a key store nor the JDK's TLS
 * does: with another's key, every handshake fails.
 */
final class KeyPairCheck {
    private static final byte[] SAMPLE = new byte[32];

    private KeyPairCheck() {}

    static void check(KeyStore store, Listener listener) throws GeneralSecurityException {
        boolean any = false;
        for (String alias : Collections.list(store.aliases())) {
            if (store.isKeyEntry(alias)) {
                any = true;
                Key key = store.getKey(alias, password(listener));
                Certificate certificate = store.getCertificate(alias);
                if (key instanceof PrivateKey own && certificate != null) {
                    check(own, certificate);
                }
            }
        }
        if (!any) {
            throw new InvalidKeyException("there is no private key in it");
        }
    }

    /** Returns the password of the keys in the key store, as Kafka reads it. */
    static char[] password(Listener listener) {
        // Kafka keeps the key of a PEM file without a password.
        boolean isPem =
                "PEM".equals(listener.text("ssl.keystore.type"))
                        || listener.text("ssl.keystore.key") != null;
        String ofKey = listener.text("ssl.key.password");
        String password = ofKey == null ? listener.text("ssl.keystore.password") : ofKey;
        if (isPem) {
            return ofKey == null ? new char[0] : ofKey.toCharArray();
        }
        return password == null ? null : password.toCharArray();
    }

    private static void check(PrivateKey key, Certificate certificate)
            throws GeneralSecurityException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    case "DSA" -> "SHA256withDSA";
                    default -> key.getAlgorithm(); // EdDSA signs under its own name
                };
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        signing.update(SAMPLE);
        byte[] signature = signing.sign();
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(certificate.getPublicKey());
        verifying.update(SAMPLE);
        boolean fits;
        try {
            fits = verifying.verify(signature);
        } catch (java.security.SignatureException e) {
            fits = false; // of another length
        }
        if (!fits) {
            throw new InvalidKeyException(
                    "the private key does not belong to the certificate of "
                            + ((X509Certificate) certificate).getSubjectX500Principal());
        }
    }
}
