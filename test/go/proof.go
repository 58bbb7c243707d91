package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	fproof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

// proof FILE LEAF VKEY [COSIGNER...]: verifies a .tlog-proof of the entry whose leaf hash is given in hexadecimal,
// with the signature of the log and a cosignature by each of the cosigners.
func prove(arguments []string) error {
	if len(arguments) < 3 {
		return errors.New("proof FILE LEAF VKEY [COSIGNER...]")
	}
	data, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	leaf, err := hex.DecodeString(arguments[1])
	if err != nil {
		return err
	}
	verifier, err := fnote.NewVerifier(arguments[2])
	if err != nil {
		return err
	}
	var cosigners []note.Verifier
	for _, vkey := range arguments[3:] {
		cosigner, err := cosignerOf(vkey)
		if err != nil {
			return err
		}
		cosigners = append(cosigners, cosigner)
	}
	var parsed fproof.TLogProof
	if err := parsed.Unmarshal(data); err != nil {
		return err
	}
	if string(parsed.Marshal()) != string(data) {
		return errors.New("the proof is written in another way")
	}
	checkpoint, _, opened, err := log.ParseCheckpoint(parsed.Checkpoint, verifier.Name(), verifier, cosigners...)
	if err != nil {
		return err
	}
	if len(opened.Sigs) != len(cosigners)+1 {
		return fmt.Errorf("%d signatures are valid, not %d", len(opened.Sigs), len(cosigners)+1)
	}
	var path [][]byte
	for _, hash := range parsed.Hashes {
		path = append(path, hash[:])
	}
	return proof.VerifyInclusion(rfc6962.DefaultHasher, parsed.Index, checkpoint.Size, leaf, path, checkpoint.Hash)
}

func cosignerOf(vkey string) (note.Verifier, error) {
	if verifier, err := fnote.NewMLDSAVerifier(vkey); err == nil {
		return verifier, nil
	}
	return fnote.NewVerifierForCosignatureV1(vkey)
}
