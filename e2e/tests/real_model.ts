import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const cache = process.env.QUERYLORE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "querylore");
const folder = join(cache, "qwen2.5-coder-0.5b");
const port = 4192;

/** Qwen2.5-Coder-0.5B behind scripts/llama.mjs, where `make model` has fetched it; null elsewhere. */
export async function realModel(): Promise<{ url: string; close: () => void } | null> {
  if (!existsSync(join(folder, "model.gguf")) || !existsSync(join(folder, "node_modules/node-llama-cpp"))) return null;
  const server = spawn(process.execPath, ["../scripts/llama.mjs", folder, String(port)], { stdio: "ignore" });
  let ended = false;
  server.on("exit", () => (ended = true));
  const url = `http://127.0.0.1:${port}`;
  for (let wait = 0; wait < 240 && !ended; wait += 1) {
    const healthy = await fetch(`${url}/health`).then((r) => r.ok, () => false);
    if (healthy) return { url, close: () => server.kill() };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  server.kill();
  throw new Error("scripts/llama.mjs did not start; run it by hand to see why");
}
