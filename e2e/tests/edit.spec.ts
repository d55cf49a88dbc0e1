import { readFileSync } from "node:fs";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const QUESTION = "On-time rate by month on the Harbour Loop in fiscal 2024";
const norhaven = readFileSync("../dist/demo/norhaven.sqlite");

test("a hidden item is not retrieved until it is taken in again", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(QUESTION);
  await expect(app.rows.getByRole("heading", { name: "12 rows" })).toBeVisible();
  const card = app.knowledge.getByRole("listitem").first().getByRole("button");
  const key = await card.getAttribute("data-item");
  const same = app.knowledge.locator(`[data-item="${key}"]`);
  await card.click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await inspector.getByRole("button", { name: "Hide" }).click();
  await expect(inspector.getByText("hidden, not retrieved")).toBeVisible();
  await app.ask(QUESTION);
  await expect(app.rows.getByRole("heading", { name: /row/ })).toBeVisible();
  await expect(app.knowledge.getByRole("listitem").first()).toBeVisible();
  await expect(same).toHaveCount(0);
  // It is listed as hidden, and Ctrl Z takes the hiding back.
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await page.getByRole("checkbox", { name: /Hidden or edited/ }).check();
  await expect(page.getByRole("table", { name: "Items" }).getByText("hidden", { exact: true })).toBeVisible();
  await page.getByRole("table", { name: "Items" }).locator("[data-item]").click();
  await inspector.getByRole("button", { name: "Retrieve again" }).click();
  await expect(page.getByText("No item passes the filter")).toBeVisible();
  await page.getByRole("main").focus();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("No item passes the filter")).toBeHidden();
  await page.keyboard.press("Control+z");
  await page.getByRole("link", { name: "Ask" }).first().click();
  await app.ask(QUESTION);
  await expect(same).toHaveCount(1);
});

test("a description is edited, marked as not indexed, and taken back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await page.getByRole("table", { name: "Items" }).locator("[data-item]").first().click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await inspector.getByRole("button", { name: "Edit description" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit the description" });
  await dialog.getByRole("textbox").fill("All that the harbour master counts.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(inspector.getByText("All that the harbour master counts.")).toBeVisible();
  // The encoder of the demo rests.
  await expect(inspector.getByText("not yet indexed")).toBeVisible();
  await expect(page.getByText("1 description not yet indexed")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search" }).fill("harbour master");
  await expect(page.getByRole("table", { name: "Items" }).locator("[data-item]")).toHaveCount(1);
  await inspector.getByRole("button", { name: "Edit description" }).click();
  await dialog.getByRole("button", { name: "Back to the rules' description" }).click();
  await expect(inspector.getByText("described by hand")).toHaveCount(0);
  await expect(page.getByText("1 description not yet indexed")).toBeHidden();
});

test("with the encoder at hand an edited description is indexed at once and kept", async ({ page }) => {
  test.setTimeout(240_000);
  const app = new App(page);
  await app.open({ encoder: "tiny", device: "Cpu" });
  await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  const script = "SELECT COUNT(*) FROM piers WHERE zone > 0;\nSELECT name FROM vessels ORDER BY seats DESC LIMIT 3;";
  await app.addHistory({ name: "team.sql", mimeType: "text/plain", buffer: Buffer.from(script) });
  await page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 200_000 });
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await page.getByRole("table", { name: "Items" }).locator("[data-item]").first().click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await inspector.getByRole("button", { name: "Edit description" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit the description" });
  await dialog.getByRole("textbox").fill("Where ships lie.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(inspector.getByText("described by hand")).toBeVisible();
  await expect(page.getByText("not yet indexed")).toHaveCount(0);
  await expect(page.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
  await page.reload();
  await app.ready();
  await page.getByRole("searchbox", { name: "Search" }).fill("Where ships lie");
  await expect(page.getByRole("table", { name: "Items" }).locator("[data-item]")).toHaveCount(1);
  await expect(page.getByText("not yet indexed")).toHaveCount(0);
});
