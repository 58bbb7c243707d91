module cairn-peers/immudb

go 1.26

require github.com/codenotary/immudb v1.9.7
