// The clients of transparency logs in Go, as commands for the tests of Cairn.
package main

import (
	"fmt"
	"os"
)

var commands = map[string]func(arguments []string) error{
	"read":  read,
	"proof": prove,
	"agent": serveAgent,
	"key":   printKey,
	"load":  load,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: interop read | proof | agent | key | load ...")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
