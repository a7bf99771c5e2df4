package page

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"
)

//go:embed page.html.tmpl
var pageText string

// HTML writes the page as one file.
func (p *Page) HTML(w io.Writer) error {
	layout, err := template.New("page").Funcs(template.FuncMap{
		"colours": themeColours,
		"lower":   strings.ToLower,
		"css":     func(s string) template.CSS { return template.CSS(s) },
		// Figures are made by this program, with escaped names.
		"drawing": func(f Figure) (template.HTML, error) {
			text, err := f.inline()
			return template.HTML(text), err
		},
		"words": func(t Table, i int) bool { return i < t.Words },
		"few":   func(t Table) bool { return len(t.Rows) <= 60 },
		"wide":  func(t Table) bool { return len(t.Head) > 6 },
	}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return layout.Execute(w, p)
}

// Markdown writes the report without the figures and the table of all rows.
func (p *Page) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", p.Title, p.Question)
	for _, s := range p.Lead {
		fmt.Fprintf(&b, "* %s\n", s)
	}
	b.WriteString("\nMade by\n\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "    %s\n", c)
	}
	b.WriteString("\n")
	for _, f := range p.Facts {
		fmt.Fprintf(&b, "* %s: %s\n", f[0], f[1])
	}
	for _, s := range p.Sections {
		if len(s.Tables) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Title, s.Text)
		for _, t := range s.Tables {
			fmt.Fprintf(&b, "\n%s\n\n", t.Caption)
			t.markdown(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var escapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ")

func (t *Table) markdown(b *strings.Builder) {
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + escapes.Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Head)
	for i := range t.Head {
		if i < t.Words {
			b.WriteString("|---")
		} else {
			b.WriteString("|---:")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
}

// Figures writes every figure into the folder, as SVG, and the plots as PNG.
// It returns the names of the files.
func (p *Page) Figures(folder string) (files []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			name := filepath.Join(folder, f.Name)
			data, err := f.SVG()
			if err != nil {
				return files, err
			}
			if err := os.WriteFile(name+".svg", data, 0o644); err != nil {
				return files, fmt.Errorf("page: %w", err)
			}
			files = append(files, name+".svg")
			if f.Plot == nil {
				continue
			}
			file, err := os.Create(name + ".png")
			if err != nil {
				return files, fmt.Errorf("page: %w", err)
			}
			if err := errors.Join(f.PNG(file), file.Close()); err != nil {
				return files, fmt.Errorf("page: %w", err)
			}
			files = append(files, name+".png")
		}
	}
	return files, nil
}
