package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/mod/sumdb/note"
)

// agent SOCKET: an SSH agent with a fresh Ed25519 key, which litewitness signs with. It prints the fingerprint and the public key in hexadecimal.
func serveAgent(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("agent SOCKET")
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		return err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", arguments[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s %x\n", ssh.FingerprintSHA256(key), []byte(public))
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go agent.ServeAgent(keyring, connection)
	}
}

// key NAME: prints a fresh private key for a log of Tessera, and its vkey.
func printKey(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("key NAME")
	}
	private, public, err := note.GenerateKey(rand.Reader, arguments[0])
	if err == nil {
		fmt.Printf("%s\n%s\n", private, public)
	}
	return err
}
