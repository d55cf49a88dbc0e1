import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const cache = process.env.QUERYLORE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "querylore");
const folder = join(cache, "qwen2.5-coder-0.5b");
const port = 4192;

/** Qwen2.5-Coder-0.5B behind llama-server, where `make model` has fetched both; null elsewhere. */
export async function realModel(): Promise<{ url: string; close: () => void } | null> {
  const bin = join(folder, "server/bin");
  if (!existsSync(join(folder, "model.gguf")) || !existsSync(join(bin, "llama-server"))) return null;
  const options = ["--model", join(folder, "model.gguf"), "--host", "127.0.0.1", "--port", String(port), "--ctx-size", "4096", "--parallel", "1"];
  const server = spawn(join(bin, "llama-server"), options, { env: { ...process.env, LD_LIBRARY_PATH: bin }, stdio: "ignore" });
  let ended = false;
  // The server's CPU code needs instructions that older processors lack.
  let unable = false;
  server.on("exit", (_code, signal) => {
    ended = true;
    unable = signal === "SIGILL";
  });
  const url = `http://127.0.0.1:${port}`;
  for (let wait = 0; wait < 240 && !ended; wait += 1) {
    const healthy = await fetch(`${url}/health`).then((r) => r.ok, () => false);
    if (healthy) return { url, close: () => server.kill() };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  server.kill();
  if (unable) return null;
  throw new Error("llama-server did not start; run it by hand to see why");
}
