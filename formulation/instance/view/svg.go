package view

import (
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// svg writes markup. The first error of the writer sticks.
type svg struct {
	w   io.Writer
	buf []byte
	err error
}

const svgBuffer = 1 << 16

func (s *svg) flush() error {
	if s.err == nil && len(s.buf) > 0 {
		_, s.err = s.w.Write(s.buf)
	}
	s.buf = s.buf[:0]
	return s.err
}

// str writes markup as it is.
func (s *svg) str(markup string) *svg {
	if len(s.buf) > svgBuffer {
		_ = s.flush() // the error stays for the end
	}
	s.buf = append(s.buf, markup...)
	return s
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// text writes text, escaped for elements and attributes.
func (s *svg) text(text string) *svg {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' {
			return s.str(escapes.Replace(clean(text)))
		}
	}
	return s.str(text) // as nearly all are
}

// int writes an integer.
func (s *svg) int(v int64) *svg {
	s.buf = strconv.AppendInt(s.buf, v, 10)
	return s
}

// num writes a coordinate, to a hundredth of a pixel.
func (s *svg) num(v float64) *svg {
	s.buf = appendNum(s.buf, v)
	return s
}

func appendNum(b []byte, v float64) []byte {
	n := int64(math.Round(v * 100))
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/100, 10)
	if n %= 100; n > 0 {
		b = append(b, '.', byte('0'+n/10))
		if n%10 > 0 {
			b = append(b, byte('0'+n%10))
		}
	}
	return b
}

// box writes the path of a rectangle, which is a third of the size of a rect.
func (s *svg) box(x, y, w, h float64) *svg {
	return s.str("M").num(x).str(" ").num(y).str("h").num(w).str("v").num(h).str("h").num(-w).str("z")
}

// rect opens a rectangle. Where it is so small that the gap to its neighbours
// would swallow it, it goes without.
func (s *svg) rect(x, y, w, h float64) *svg {
	s.str(`<rect x="`).num(x).str(`" y="`).num(y).str(`" width="`).num(w).str(`" height="`).num(h).str(`"`)
	if min(w, h) < 2.5 {
		s.str(` stroke-width="0"`)
	}
	return s
}

// tip writes the path of a small arrow to the right.
func (s *svg) tip(x, y float64) { s.str("M").num(x).str(" ").num(y - 3).str("l4 3l-4 3z") }

// label writes a line of text with its baseline at y.
func (s *svg) label(class string, x, y float64, text string) {
	s.str(`<text`)
	if class != "" {
		s.str(` class="`).str(class).str(`"`)
	}
	s.str(` x="`).num(x).str(`" y="`).num(y).str(`">`).text(text).str("</text>\n")
}

// textWidth estimates the width of text at a font size. Fonts differ; the
// estimate suits the wide ones (DejaVu Sans, Verdana), so that text fits.
func textWidth(text string, size float64) float64 {
	w := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijl.,:;|'!I()[]· ", r):
			w += 0.36
		case strings.ContainsRune("frt-/\"", r):
			w += 0.42
		case strings.ContainsRune("mwMW%@…×", r):
			w += 0.95
		case r >= 'A' && r <= 'Z':
			w += 0.72
		case r < 0x2e80:
			w += 0.63
		default:
			w++ // ideographs are square
		}
	}
	return w * size
}

// fit shortens text to a width, with an ellipsis.
func fit(text string, width, size float64) string {
	text = clean(text)
	if textWidth(text, size) <= width {
		return text
	}
	for text != "" {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		if textWidth(text+"…", size) <= width {
			return text + "…"
		}
	}
	return ""
}
