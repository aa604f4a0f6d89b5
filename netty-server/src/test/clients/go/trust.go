package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Trusts the server's certificate, and no other; has the client's, if there is one. Nil without TLS.
func trusted() (*tls.Config, error) {
	file := os.Getenv("FIRN_CLIENT_CA")
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	config := &tls.Config{RootCAs: pool}
	if own := os.Getenv("FIRN_CLIENT_CERTIFICATE"); own != "" {
		pair, err := tls.LoadX509KeyPair(own, os.Getenv("FIRN_CLIENT_KEY"))
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
