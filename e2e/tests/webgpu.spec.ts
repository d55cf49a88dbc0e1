import { App } from "../pages/app";
import { expect, test } from "./fixtures";

// SwiftShader is about a hundred times slower than the CPU, so this runs the tiny encoder only.
test("forced WebGPU embeds and says where it runs", async ({ page }) => {
  test.setTimeout(300_000);
  const app = new App(page);
  await app.open({ encoder: "tiny", device: "GpuForced" });
  await expect(app.rail.getByText("Not indexed with tiny.")).toBeVisible();
  await app.rail.getByRole("button", { name: "Index now" }).click();
  await expect(app.rail.getByText(/Indexed with tiny/)).toBeVisible({ timeout: 280_000 });
  await expect(page.getByRole("link", { name: /Encoder on GPU/ })).toBeVisible();
});

test("a software adapter is never chosen by itself", async ({ page }) => {
  test.setTimeout(120_000);
  const app = new App(page);
  await app.open({ encoder: "tiny", device: "Auto" });
  await app.rail.getByRole("button", { name: "Index now" }).click();
  await expect(app.rail.getByText(/Indexed with tiny/)).toBeVisible({ timeout: 100_000 });
  await expect(page.getByRole("link", { name: /Encoder on CPU/ })).toBeVisible();
});
