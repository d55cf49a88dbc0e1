import { defineConfig } from "@playwright/test";

import tests from "./playwright.config";

const address = "http://127.0.0.1:4183";
const cpu = tests.projects?.find((project) => project.name === "cpu");
const sizes = { wide: { width: 1440, height: 900 }, tablet: { width: 820, height: 1100 }, phone: { width: 390, height: 844 } };

/** Writes a picture of every page, dialog and important state of the page in ../dist to gallery/, to be looked at. */
export default defineConfig({
  testDir: "screenshots",
  testMatch: /gallery\.spec\.ts/,
  workers: 1,
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: { ...cpu?.use, baseURL: address, deviceScaleFactor: 1 },
  webServer: { command: "../target/debug/lab serve --dir ../dist --listen 127.0.0.1:4183", url: address },
  projects: Object.entries(sizes).flatMap(([size, viewport]) =>
    (["light", "dark"] as const).map((colorScheme) => ({ name: `${size}-${colorScheme}`, use: { viewport, colorScheme } })),
  ),
});
