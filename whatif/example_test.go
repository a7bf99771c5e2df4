package whatif_test

import (
	"context"
	"fmt"
	"slices"

	"jigsaw"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/codec"
	"jigsaw/whatif"
)

// What would GPUs bring that are a tenth faster?
func ExampleCompare() {
	examples, _ := jigsaw.Examples()
	at := slices.IndexFunc(examples, func(e jigsaw.Example) bool { return e.Name == "quickstart" })
	document, _ := codec.Decode(examples[at].Data)
	models, _ := jigsaw.Models()
	quicker := change.Change{Kind: change.GPUSpeed, Subject: "v100", Factor: 1.1}
	r, err := whatif.Compare(context.Background(), document.Spec, models, quicker, jigsaw.Options{Quick: true, NoLP: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s instead of %s\n", quicker, jigsaw.FormatValue(r.After.Instance, r.After.Primal), jigsaw.FormatValue(r.Before.Instance, r.Before.Primal))
	// Output: 10 % faster "v100": 8.624 s instead of 9.476 s
}
