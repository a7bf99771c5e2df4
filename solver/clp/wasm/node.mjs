// Brings CLP into a Node process before a Go program starts in it: node --import.
// Like other builds it looks at JIGSAW_CLP_WASM; none leaves CLP out.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { host } from "./host.mjs";

const path = process.env.JIGSAW_CLP_WASM || fileURLToPath(new URL("../../../bin/clp/clp.wasm", import.meta.url));
if (path !== "none" && existsSync(path)) {
  globalThis.jigsawCLP = host(new WebAssembly.Module(readFileSync(path)));
}
