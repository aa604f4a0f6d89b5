package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Trusts the server's certificate, and no other.
func trusted() (*tls.Config, error) {
	file := os.Getenv("FIRN_CLIENT_CA")
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return &tls.Config{RootCAs: pool}, nil
}
