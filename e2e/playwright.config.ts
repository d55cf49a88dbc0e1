import { defineConfig } from "@playwright/test";

// Chromium keeps trying to reach the outside without these.
const quiet = [
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

const chromium = (args: string[]) => ({
  launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...quiet, ...sandbox, ...args] },
});

const isolated = "http://127.0.0.1:4180";
const plain = "http://127.0.0.1:4181";

export default defineConfig({
  testDir: "tests",
  // Two cores are busy with two files at a time.
  workers: 2,
  fullyParallel: false,
  forbidOnly: !!process.env.CI,
  retries: process.env.CI ? 1 : 0,
  timeout: 90_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: { trace: "retain-on-failure", viewport: { width: 1440, height: 900 }, baseURL: isolated },
  webServer: [
    { command: "../target/debug/lab serve --dir ../dist --listen 127.0.0.1:4180", url: isolated },
    { command: "../target/debug/lab serve --dir ../dist --listen 127.0.0.1:4181 --plain", url: plain },
  ],
  projects: [
    // WebGPU first: long suites have lost the GPU instance on shared machines.
    {
      name: "webgpu",
      testMatch: /webgpu\.spec\.ts/,
      use: chromium(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]),
    },
    { name: "cpu", testIgnore: [/webgpu\.spec\.ts/, /plain\.spec\.ts/], use: chromium([]) },
    // A host that sends no isolation headers, as most static hosts do.
    { name: "plain", testMatch: /plain\.spec\.ts/, use: { ...chromium([]), baseURL: plain } },
  ],
});
