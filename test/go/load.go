package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load URL COUNT CONNECTIONS: adds entries of 300 bytes to a log of Tessera, one with each request, until its checkpoint has them.
// It prints how many this are in a second.
func load(arguments []string) error {
	if len(arguments) != 3 {
		return errors.New("load URL COUNT CONNECTIONS")
	}
	address := arguments[0]
	count, err := strconv.Atoi(arguments[1])
	if err != nil {
		return err
	}
	connections, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}
	client := &http.Client{Transport: transport}
	var next, failed atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range connections {
		all.Go(func() {
			for entry := next.Add(1); entry <= int64(count); entry = next.Add(1) {
				body := strings.NewReader(fmt.Sprintf("%0300d", entry))
				response, err := client.Post(address+"/add", "application/octet-stream", body)
				if err != nil {
					failed.Add(1)
					return
				}
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	if failed.Load() > 0 {
		return fmt.Errorf("%d requests failed", failed.Load())
	}
	for {
		response, err := client.Get(address + "/checkpoint")
		if err != nil {
			return err
		}
		checkpoint, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		lines := strings.SplitN(string(checkpoint), "\n", 3)
		if len(lines) == 3 {
			if size, _ := strconv.Atoi(lines[1]); size >= count {
				break
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Println(float64(count) / time.Since(start).Seconds())
	return nil
}
