package page

import "gonum.org/v1/plot"

// Page is the contents of a report.
type Page struct {
	// Title heads the page, Question stands below it.
	Title, Question string
	// Lead says the result in a few sentences.
	Lead []string
	// Facts about how it was made: name and value.
	Facts [][2]string
	// Sections in order.
	Sections []Section
	// Commands that made what the page shows, in order.
	Commands []string
	// Note says more about the commands.
	Note string
	// Source is the input, as a text; without a title there is none.
	Source struct{ Title, Text string }
	// Rows is the table of everything, for the end of the page; without rows there is none.
	Rows struct {
		Title string
		Table
	}
}

// Section is a part of a report.
type Section struct {
	// ID is usable in links and file names.
	ID, Title, Text string
	Figures         []Figure
	Tables          []Table
}

// Table has a head and rows of the same length.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string
	// Words is the number of text columns at the left; the others are numbers.
	Words int
}

// Figure is a plot, or a drawing that is already SVG.
type Figure struct {
	// Name is usable as a file name.
	Name, Caption string
	// Alt is the alternative text.
	Alt     string
	Plot    *plot.Plot
	Drawing []byte
	// Width and Height of a plot in pixels.
	Width, Height float64
}
