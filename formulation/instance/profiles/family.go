package profiles

import "strings"

// Family tells the kind of a model by its name, of those of the library; "" of others.
func Family(model string) string {
	for _, f := range families() {
		for _, prefix := range f.prefixes {
			if strings.HasPrefix(model, prefix) {
				return f.name
			}
		}
	}
	return ""
}

// Families lists what [Family] gives, in the order of listings.
func Families() (names []string) {
	for _, f := range families() {
		names = append(names, f.name)
	}
	return append(names, "")
}

type family struct {
	name     string
	prefixes []string
}

func families() []family {
	return []family{
		{"language models", []string{"llama", "mistral", "qwen", "gpt", "bert"}},
		{"vision transformers", []string{"vit"}},
		{"convolutional nets", []string{"alexnet", "densenet", "inception", "resnet", "vgg", "wrn"}},
		{"recurrent nets", []string{"gnmt"}},
	}
}
