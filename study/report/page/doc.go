// Package page lays out reports: figures, tables and the commands that made them, as one HTML file without scripts
// or network access, which follows the reader's light or dark colours, or as Markdown.
package page
