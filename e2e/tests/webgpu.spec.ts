import { readFileSync } from "node:fs";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const script = "SELECT COUNT(*) FROM piers WHERE zone > 0;\nSELECT name FROM vessels ORDER BY seats DESC LIMIT 3;";

/** Indexes a history of two queries with the tiny encoder on the device that the settings name. */
async function indexesOn(app: App, device: string) {
  await app.open({ encoder: "tiny", device });
  await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(app.page.getByText("Add the queries you already have")).toBeVisible();
  await app.addHistory({ name: "team.sql", mimeType: "text/plain", buffer: Buffer.from(script) });
  await app.page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 200_000 });
}

// SwiftShader is about a hundred times slower than the CPU, so this runs the tiny encoder on a few texts.
test("forced WebGPU embeds and says where it runs", async ({ page }) => {
  test.setTimeout(240_000);
  await indexesOn(new App(page), "GpuForced");
  await expect(page.getByRole("link", { name: /Encoder on GPU/ })).toBeVisible();
});

test("a software adapter is never chosen by itself", async ({ page }) => {
  test.setTimeout(120_000);
  await indexesOn(new App(page), "Auto");
  await expect(page.getByRole("link", { name: /Encoder on CPU/ })).toBeVisible();
});

// The device is taken from under the worker at its first piece of work for the user, after the check at the start.
test("a lost GPU hands its work to the CPU and says so", async ({ page }) => {
  test.setTimeout(240_000);
  await page.route("**/embedder_worker.js", async (route) => {
    const response = await route.fetch();
    const script = await response.text();
    const lose = `
      const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function (...wishes) {
        const device = await request.apply(this, wishes);
        self.addEventListener("message", ({ data }) => data[1] === 1 && device.destroy(), { capture: true });
        return device;
      };`;
    await route.fulfill({ response, body: `${lose}\n${script}` });
  });
  await indexesOn(new App(page), "GpuForced");
  await expect(page.getByRole("link", { name: /Encoder on CPU/ })).toBeVisible();
  await page.getByRole("link", { name: /Encoder on CPU/ }).click();
  await expect(page.getByText(/GPU stopped/)).toBeVisible();
});
