package profiles

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

var update = flag.Bool("update", false, "rewrite library/ from the sources")

// source is one file of another project and the library file made from it.
type source struct {
	format Format
	path   string // in the data folder; the first folder is the project
	into   string
	opt    ImportOptions
}

const (
	imageNets = "pipedream/profiler/image_classification/profiles/"
	v100      = "The GPU is V100 class; the file does not name it. Batch size from the size of the input. "
)

// sources is what the library is made from. The batch sizes of PipeDream are
// those of the data README and are checked against the files in
// TestPipeDreamBatches.
var sources = []source{
	{PipeDream, imageNets + "alexnet/graph.txt", "alexnet", ImportOptions{Model: "alexnet", GPU: "v100", Batch: 256, Source: instance.Source{Note: v100}}},
	{PipeDream, imageNets + "densenet121/graph.txt", "densenet121", ImportOptions{Model: "densenet121", GPU: "v100", Batch: 64, Source: instance.Source{Note: v100}}},
	{PipeDream, imageNets + "inception_v3/graph.txt", "inception_v3", ImportOptions{Model: "inception_v3", GPU: "v100", Batch: 128, Source: instance.Source{Note: v100 + "The auxiliary classifier is included."}}},
	{PipeDream, imageNets + "resnet101/graph.txt", "resnet101", ImportOptions{Model: "resnet101", GPU: "v100", Batch: 64, Source: instance.Source{Note: v100}}},
	{PipeDream, imageNets + "resnet50/graph.txt", "resnet50", ImportOptions{Model: "resnet50", GPU: "v100", Batch: 128, Source: instance.Source{Note: v100}}},
	{PipeDream, imageNets + "vgg16/graph.txt", "vgg16_v100", ImportOptions{Model: "vgg16", GPU: "v100", Batch: 128, Source: instance.Source{Note: v100}}},
	{PipeDream, "pipedream/profiler/translation/profiles/gnmt/graph.txt", "gnmt", ImportOptions{Model: "gnmt", GPU: "v100", Batch: 32, Source: instance.Source{Note: "The GPU is V100 class; the file does not name it. Batch size 32 from the size of the recurrent state, 131072 bytes = 32 x 1024 x 4. " +
		"The source gives a concatenation the size of its first part only. The decoder hangs together through attention, so it is one block."}}},
	{DeepPool, "deeppool/profile/A100_vgg.prof", "vgg16_a100", ImportOptions{Model: "vgg16", GPU: "a100", Source: instance.Source{Note: "GPU from the file name."}}},
	{DeepPool, "deeppool/profile/A100_wrn.prof", "wrn101_2", ImportOptions{Model: "wrn101_2", GPU: "a100", Source: instance.Source{Note: "GPU from the file name. " +
		"The batch norm after the first convolution has no row: 128 parameters are missing, and 64 of a bias that torchvision's model lacks are counted."}}},
	{DNNPartitioning, "dnn-partitioning/throughput-inputs/LayerGraphs/bert24_training.json", "bert24", ImportOptions{Model: "bert24", GPU: "v100", Batch: 2, Source: instance.Source{Note: "GPU v100 is inferred, not given: " +
		"the ResNet-50 and Inception-v3 graphs beside it have the times of PipeDream's V100-class profiles, and its device limit is 16 GB; " +
		"its matrix products run slower than PipeDream's, which may mean a slower card. " +
		"Batch size 2 at 512 tokens is derived: 4194304 bytes = 2 x 512 x 1024 x 4 leave a layer, 8192 = 2 x 1024 x 4 the pooler. " +
		"The output embedding, tied to the input embedding in BERT, is counted in both places (125018112 bytes)."}}},
}

var provenance = map[string]instance.Source{
	"pipedream":        {Repository: "https://github.com/msr-fiddle/pipedream", Commit: "7db6a1c", Licence: "MIT"},
	"deeppool":         {Repository: "https://github.com/DeepPoolML/DeepPool", Commit: "7f823f2", Licence: "MIT"},
	"dnn-partitioning": {Repository: "https://github.com/msr-fiddle/dnn-partitioning", Commit: "b207b6a", Licence: "MIT"},
}

// dataDir finds the sources, or skips the test.
func dataDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("JIGSAW_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		data := filepath.Join(dir, "shared", "data")
		if info, err := os.Stat(filepath.Join(data, "pipedream")); err == nil && info.IsDir() {
			return data
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("the profile sources are not here; set JIGSAW_DATA to their folder to compare the library with them")
		}
		dir = up
	}
}

func (s source) read(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dataDir(t), filepath.FromSlash(s.path)))
	require.NoError(t, err)
	return data
}

func (s source) profiles(t *testing.T) []*instance.Profile {
	t.Helper()
	opt := s.opt
	for project, src := range provenance {
		if rel, err := filepath.Rel(project, s.path); err == nil && filepath.IsLocal(rel) {
			note := opt.Source.Note
			opt.Source = src
			opt.Source.File, opt.Source.Note = filepath.ToSlash(rel), note
		}
	}
	ps, err := Import("", bytes.NewReader(s.read(t)), opt)
	require.NoError(t, err)
	return ps
}

// TestLibraryMatchesSources holds each library file against what the importer
// makes of its source now. With -update it writes the file.
func TestLibraryMatchesSources(t *testing.T) {
	for _, s := range sources {
		t.Run(s.into, func(t *testing.T) {
			format, err := detect(s.read(t))
			require.NoError(t, err)
			require.Equal(t, s.format, format)
			var want bytes.Buffer
			require.NoError(t, Encode(&want, s.profiles(t)))
			name := filepath.Join("library", s.into+".json")
			if *update {
				require.NoError(t, os.WriteFile(name, want.Bytes(), 0o644))
			}
			got, err := os.ReadFile(name)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want.Bytes(), got), "%s is not what its source gives now; run with -update and look at the difference", name)
		})
	}
}

// TestLibraryHasOnlyKnownFiles finds files that no source stands for.
func TestLibraryHasOnlyKnownFiles(t *testing.T) {
	files, err := library.ReadDir("library")
	require.NoError(t, err)
	want := make(map[string]bool)
	for _, s := range sources {
		want[s.into+".json"] = true
	}
	for _, e := range estimates {
		want[e.model+".json"] = true
	}
	for _, m := range measured {
		want[m+".json"] = true
	}
	total := 0
	for _, f := range files {
		require.True(t, want[f.Name()], f.Name())
		info, err := f.Info()
		require.NoError(t, err)
		total += int(info.Size())
	}
	require.Len(t, files, len(sources)+len(estimates)+len(measured))
	require.Less(t, total, 600_000, "the library is part of the browser download")
}
