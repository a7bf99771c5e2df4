// Command fidelity compares replays with measurements and computations of
// others, and rewrites the generated tables of docs/replay.md.
//
//	go run ./study/fidelity --data DIR docs/replay.md
//
// DIR holds the files of Rivendile/Muri 4e69a78 under muri and of
// stanford-futuredata/gavel c4fa400 under gavel.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	data := flag.String("data", "", "folder of the real data")
	flag.Parse()
	if *data == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: fidelity --data DIR docs/replay.md")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *data, flag.Arg(0)); err != nil {
		fmt.Fprintf(os.Stderr, "fidelity: %v\n", err)
		os.Exit(1)
	}
}

// run rewrites the tables of a page.
func run(ctx context.Context, data, page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	for _, t := range []struct {
		name string
		make func(context.Context, string) (string, error)
	}{{"testbed", testbed}, {"trace", comparison}, {"seeds", seeds}, {"gavel", gavel}} {
		table, err := t.make(ctx, data)
		if err != nil {
			return err
		}
		if text, err = insert(text, t.name, table); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	return os.WriteFile(page, text, 0o644)
}

// insert puts a table between the markers with its name.
func insert(text []byte, name, table string) ([]byte, error) {
	head, rest, ok := bytes.Cut(text, []byte("<!-- "+name+" -->\n"))
	_, tail, ok2 := bytes.Cut(rest, []byte("<!-- end -->"))
	if !ok || !ok2 {
		return nil, fmt.Errorf("there are no marks <!-- %s --> and <!-- end -->", name)
	}
	return []byte(string(head) + "<!-- " + name + " -->\n" + strings.TrimSpace(table) + "\n<!-- end -->" + string(tail)), nil
}
