import { defineConfig } from "@playwright/test";

import tests from "./playwright.config";

const address = "http://127.0.0.1:4182";
const cpu = tests.projects?.find((project) => project.name === "cpu");

/** Writes the pictures of the documents, docs/images/*.png, from the page in ../dist. */
export default defineConfig({
  testDir: "screenshots",
  testMatch: /pictures\.spec\.ts/,
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: { ...cpu?.use, baseURL: address, deviceScaleFactor: 1 },
  webServer: { command: "../target/debug/lab serve --dir ../dist --listen 127.0.0.1:4182", url: address },
  projects: [
    { name: "light", use: { colorScheme: "light" } },
    { name: "dark", use: { colorScheme: "dark" } },
  ],
});
