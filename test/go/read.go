package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Every proof of a log of this size is checked, and of a larger one so many.
const checks = 300

// read URL AUTHORIZATION VKEY ORIGIN: reads the whole log with every client. AUTHORIZATION may be empty.
func read(arguments []string) error {
	if len(arguments) != 4 {
		return errors.New("read URL AUTHORIZATION VKEY ORIGIN")
	}
	address, authorization, vkey, origin := arguments[0], arguments[1], arguments[2], arguments[3]
	verifier, err := fnote.NewVerifier(vkey)
	if err != nil {
		return fmt.Errorf("vkey: %w", err)
	}
	root, err := url.Parse(address + "/")
	if err != nil {
		return err
	}
	fetcher, err := client.NewHTTPFetcher(root, nil)
	if err != nil {
		return err
	}
	fetcher.SetAuthorizationHeader(authorization)
	ctx := context.Background()
	checkpoint, raw, _, err := client.FetchCheckpoint(ctx, fetcher.ReadCheckpoint, verifier, origin)
	if err != nil {
		return fmt.Errorf("tessera/client: checkpoint: %w", err)
	}
	if err := readWithSumdb(address, authorization, vkey, raw); err != nil {
		return fmt.Errorf("x/mod/sumdb: %w", err)
	}
	if err := readWithTessera(ctx, fetcher, checkpoint); err != nil {
		return fmt.Errorf("tessera/client: %w", err)
	}
	hasher := func(bundle []byte) ([][]byte, error) {
		entries := api.EntryBundle{}
		err := entries.UnmarshalText(bundle)
		return hashesOf(entries), err
	}
	if err := fsck.New(origin, verifier, fetcher, hasher, fsck.Opts{N: 2}).Check(ctx); err != nil {
		return fmt.Errorf("tessera/fsck: %w", err)
	}
	fmt.Println(checkpoint.Size)
	return nil
}

func hashesOf(bundle api.EntryBundle) (hashes [][]byte) {
	for _, entry := range bundle.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return
}

func step(size uint64) uint64 { return max(1, size/checks) }

func readWithTessera(ctx context.Context, fetcher *client.HTTPFetcher, checkpoint *log.Checkpoint) error {
	size := checkpoint.Size
	if size == 0 {
		return nil
	}
	builder, err := client.NewProofBuilder(ctx, size, fetcher.ReadTile)
	if err != nil {
		return err
	}
	leaves, err := client.FetchLeafHashes(ctx, fetcher.ReadTile, 0, size, size)
	if err != nil {
		return err
	}
	bundle, err := client.GetEntryBundle(ctx, fetcher.ReadEntryBundle, 0, size)
	if err != nil {
		return err
	}
	for index, hash := range hashesOf(bundle) {
		if string(hash) != string(leaves[index]) {
			return fmt.Errorf("entry %d has another hash than its leaf", index)
		}
	}
	for index := uint64(0); index < size; index += step(size) {
		path, err := builder.InclusionProof(ctx, index)
		if err != nil {
			return err
		}
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, size, leaves[index], path, checkpoint.Hash); err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
	}
	return nil
}

// tiles reads tiles for golang.org/x/mod/sumdb/tlog.
type tiles struct{ address, authorization string }

func (tiles) Height() int                         { return 8 }
func (tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		// Paths of the checksum database name the height of a tile, which tlog-tiles leaves out.
		path := "tile/" + tile.Path()[len("tile/8/"):]
		request, err := http.NewRequest(http.MethodGet, t.address+"/"+path, nil)
		if err != nil {
			return nil, err
		}
		if t.authorization != "" {
			request.Header.Set("Authorization", t.authorization)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s %w", path, response.Status, err)
		}
		found = append(found, body)
	}
	return found, nil
}

func readWithSumdb(address, authorization, vkey string, raw []byte) error {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	opened, err := note.Open(raw, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	checkpoint := log.Checkpoint{}
	if _, err := checkpoint.Unmarshal([]byte(opened.Text)); err != nil {
		return err
	}
	tree := tlog.Tree{N: int64(checkpoint.Size), Hash: tlog.Hash(checkpoint.Hash)}
	reader := tlog.TileHashReader(tree, tiles{address, authorization})
	hash, err := tlog.TreeHash(tree.N, reader)
	if err != nil || hash != tree.Hash {
		return fmt.Errorf("the tiles lead to the root %v, the checkpoint has %v: %w", hash, tree.Hash, err)
	}
	for older := int64(1); older <= tree.N; older += int64(step(checkpoint.Size)) {
		oldHash, err := tlog.TreeHash(older, reader)
		if err != nil {
			return err
		}
		extension, err := tlog.ProveTree(tree.N, older, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(extension, tree.N, tree.Hash, older, oldHash); err != nil {
			return err
		}
	}
	return nil
}
