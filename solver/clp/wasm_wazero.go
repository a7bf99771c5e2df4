//go:build !js

package clp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"jigsaw/solver"
)

// NewWasm returns the solver with live models over a clp.wasm file, run in plain Go by
// wazero: the browser's engine outside a browser.
func NewWasm(path string) (solver.Solver, error) {
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("clp: %w: build it with `make clp-wasm`", err)
	}
	return newWasm(code, path)
}

// newWasm is [NewWasm] for the contents of a file; name is for messages.
func newWasm(code []byte, name string) (solver.Solver, error) {
	ctx := context.Background()
	runtime, module, err := compile(ctx, code)
	if err != nil {
		return nil, fmt.Errorf("clp: %s: %w: build it anew with `make clp-wasm`", name, err)
	}
	return &wasm{open: func() (machine, error) {
		instance, err := runtime.InstantiateModule(ctx, module,
			wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithSysNanotime())
		if err != nil {
			return nil, fmt.Errorf("clp: %s: %w: build it anew with `make clp-wasm`", name, err)
		}
		return &interpreter{module: instance, functions: map[string]api.Function{}}, nil
	}}, nil
}

// compile returns the compiled module and its runtime. Compilation takes most of a second,
// so the machine code is kept in the user's cache folder. If the folder is missing, full,
// not writable, or damaged, that only costs the time; damaged files are removed, so that
// the next start works again.
func compile(ctx context.Context, code []byte) (wazero.Runtime, wazero.CompiledModule, error) {
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "jigsaw", "wazero")
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			runtime, module, err := compileBy(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache), code)
			if err == nil {
				return runtime, module, nil
			}
			_ = os.RemoveAll(dir)
		}
	}
	return compileBy(ctx, wazero.NewRuntimeConfig(), code)
}

func compileBy(ctx context.Context, config wazero.RuntimeConfig, code []byte) (wazero.Runtime, wazero.CompiledModule, error) {
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	_, err := wasi_snapshot_preview1.Instantiate(ctx, runtime)
	if err == nil {
		var module wazero.CompiledModule
		if module, err = runtime.CompileModule(ctx, code); err == nil {
			return runtime, module, nil
		}
	}
	_ = runtime.Close(ctx) // the original error says more
	return nil, nil, err
}

// interpreter is an instance of clp.wasm inside wazero.
type interpreter struct {
	module    api.Module
	functions map[string]api.Function // by name, those called so far
}

func (i *interpreter) call(name string, args ...float64) (float64, error) {
	f := i.functions[name]
	if f == nil {
		if f = i.module.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("clp.wasm has no function %s: build it anew with `make clp-wasm`", name)
		}
		i.functions[name] = f
	}
	stack := make([]uint64, max(1, len(args)))
	for k, kind := range f.Definition().ParamTypes() {
		if kind == api.ValueTypeF64 {
			stack[k] = api.EncodeF64(args[k])
		} else {
			stack[k] = uint64(uint32(int64(args[k])))
		}
	}
	if err := f.CallWithStack(context.Background(), stack); err != nil {
		return 0, err
	}
	switch results := f.Definition().ResultTypes(); {
	case len(results) == 0:
		return 0, nil
	case results[0] == api.ValueTypeF64:
		return api.DecodeF64(stack[0]), nil
	default:
		return float64(int32(stack[0])), nil
	}
}

var errOutside = errors.New("an address outside the memory")

func (i *interpreter) write(at uint32, from []byte) error {
	if !i.module.Memory().Write(at, from) {
		return errOutside
	}
	return nil
}

func (i *interpreter) read(to []byte, at uint32) error {
	from, ok := i.module.Memory().Read(at, uint32(len(to)))
	if !ok {
		return errOutside
	}
	copy(to, from)
	return nil
}
