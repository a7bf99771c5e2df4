package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadLast returns the records of files of JSON Lines; of those with the same key, the last one in the place of the
// first. A file that does not exist contains none.
func ReadLast[R any, K comparable](key func(*R) K, files ...string) (records []R, err error) {
	at := map[K]int{}
	for _, name := range files {
		err := readLines(name, func(r R) {
			k := key(&r)
			if i, ok := at[k]; ok {
				records[i] = r
				return
			}
			at[k] = len(records)
			records = append(records, r)
		})
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}

// readLines calls each for the records of a file.
func readLines[R any](name string, each func(R)) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r R
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("bench: %s, line %d: %w", name, n, err)
		}
		each(r)
	}
	return lines.Err()
}

// Append adds a record to a file of JSON Lines.
func Append[R any](name string, r *R) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
