// What clp.wasm asks of whoever runs it: nine functions of WASI. CLP reads the time
// and may print; it has no files, no environment and no arguments.

const BADF = 8; // WASI's code for "no such file"

/**
 * Returns what JigSaw's wasm core expects as globalThis.jigsawCLP: a function that makes a
 * new, independent instance of CLP, at once. Make the module before the core starts.
 * @param {WebAssembly.Module} module the compiled clp.wasm
 */
export function host(module) {
  return {
    instantiate() {
      let exports;
      const view = () => new DataView(exports.memory.buffer); // growth detaches the buffer
      const wasi = {
        environ_sizes_get(count, size) {
          view().setUint32(count, 0, true);
          view().setUint32(size, 0, true);
          return 0;
        },
        environ_get: () => 0,
        clock_time_get(id, precision, time) {
          view().setBigUint64(time, BigInt(Math.round(performance.now() * 1e6)), true); // ns
          return 0;
        },
        fd_write(fd, buffers, count, written) {
          let bytes = 0;
          for (let k = 0; k < count; k++) bytes += view().getUint32(buffers + 8 * k + 4, true);
          view().setUint32(written, bytes, true); // CLP is told to be silent
          return 0;
        },
        fd_fdstat_get: () => BADF,
        fd_read: () => BADF,
        fd_seek: () => BADF,
        fd_close: () => BADF,
        proc_exit(code) {
          throw new WebAssembly.RuntimeError(`CLP ended itself with code ${code}`);
        },
      };
      const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
      exports = instance.exports;
      exports._initialize();
      return instance;
    },
  };
}
