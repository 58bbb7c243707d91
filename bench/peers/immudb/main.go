// Runs immudb with its default options, or sends writes to it.
//
//	immudb serve FOLDER PORT
//	immudb load PORT SIZE SENDERS SECONDS    (SIZE values of 500 bytes in each transaction)
package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codenotary/immudb/pkg/api/schema"
	"github.com/codenotary/immudb/pkg/client"
	"github.com/codenotary/immudb/pkg/server"
)

const valueBytes = 500

func main() {
	arguments := os.Args[2:]
	if os.Args[1] == "serve" {
		serve(arguments[0], number(arguments[1]))
		return
	}
	load(number(arguments[0]), number(arguments[1]), number(arguments[2]), number(arguments[3]))
}

func serve(folder string, port int) {
	options := server.DefaultOptions().WithDir(folder).WithAddress("127.0.0.1").WithPort(port).
		WithMetricsServer(false).WithWebServer(false)
	immudb := server.DefaultServer().WithOptions(options)
	check(immudb.Initialize())
	check(immudb.Start())
}

// Prints how many values were acknowledged in each second.
func load(port int, size int, senders int, seconds int) {
	var next, acknowledged atomic.Uint64
	var running sync.WaitGroup
	clients := make([]client.ImmuClient, senders)
	for at := range clients {
		clients[at] = connect(port)
	}
	startedAt := time.Now()
	until := startedAt.Add(time.Duration(seconds) * time.Second)
	for _, one := range clients {
		running.Go(func() {
			for time.Now().Before(until) {
				request := &schema.SetRequest{KVs: values(size, &next)}
				write(one, request)
				acknowledged.Add(uint64(size))
			}
		})
	}
	running.Wait()
	fmt.Println(float64(acknowledged.Load()) / time.Since(startedAt).Seconds())
}

// Repeats a write that is refused because more than 30, the default, are under way.
func write(one client.ImmuClient, request *schema.SetRequest) {
	for {
		_, err := one.SetAll(context.Background(), request)
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "max concurrency limit exceeded") {
			check(err)
		}
	}
}

func connect(port int) client.ImmuClient {
	options := client.DefaultOptions().WithAddress("127.0.0.1").WithPort(port).WithDir(os.TempDir())
	one := client.NewClient().WithOptions(options)
	check(one.OpenSession(context.Background(), []byte("immudb"), []byte("immudb"), "defaultdb"))
	return one
}

func values(count int, next *atomic.Uint64) []*schema.KeyValue {
	made := make([]*schema.KeyValue, count)
	for at := range made {
		key := binary.BigEndian.AppendUint64(make([]byte, 0, 32), next.Add(1))
		value := make([]byte, valueBytes)
		rand.Read(value)
		made[at] = &schema.KeyValue{Key: key, Value: value}
	}
	return made
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
