package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/site"
)

func newServe(std cli.Streams) *cobra.Command {
	var port int
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the playground, the planner in a browser, on this machine",
		Long: `Serve the playground to browsers on this machine. The planner runs in the page
itself: nothing that is typed there leaves the browser. Ctrl-C ends.`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return runServe(c.Context(), port, std) },
	}
	c.Flags().IntVar(&port, "port", 8080, "`port` on 127.0.0.1; 0 takes any that is free")
	return c
}

func runServe(ctx context.Context, port int, std cli.Streams) error {
	if port < 0 || port > 65535 {
		return cli.Usage(fmt.Errorf("--port %d: ports are 0 to 65535", port))
	}
	files, err := site.Files()
	if err != nil {
		return err
	}
	handler, err := site.Handler(files)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("%w; --port chooses another port, 0 any that is free", err)
	}
	fmt.Fprintf(std.Out, "The playground is at http://%s/ until Ctrl-C.\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
