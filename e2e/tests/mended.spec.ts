import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const demo = "../dist/demo";
const ferries = { name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: readFileSync(`${demo}/norhaven.sqlite`) };
const knowledge = { name: "knowledge.json", mimeType: "application/json", buffer: readFileSync(`${demo}/knowledge.json`) };
const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const SCRIPT = "SELECT COUNT(*) FROM piers WHERE zone > 0;\nSELECT name FROM vessels ORDER BY seats DESC LIMIT 3;";

const LATE = "On-time rate by month on the Harbour Loop in fiscal 2024";
const BUSY = "The 3 busiest piers on event days";

// Minutes inside two calls of one function, where SQLite looks neither at the clock nor for a stop.
const ONE_FUNCTION =
  "SELECT instr(CAST(zeroblob(20000000) AS BLOB), CAST(substr(zeroblob(10000000), 1) || 'x' AS BLOB)), " +
  "instr(hex(zeroblob(20000000)), hex(zeroblob(9000000)) || '1')";

/** Holds the encoder back until the returned function is called. */
async function heldEncoder(page: Page) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/embedder_worker.js", async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

async function read(app: App, history: Parameters<App["addHistory"]>[0]) {
  await app.addHistory(history);
  await app.page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
}

/** A database of its own with a history of two queries, indexed. */
async function withHistory(page: Page) {
  const app = new App(page);
  await app.open({ encoder: "tiny", device: "Cpu" });
  await app.openFile(ferries);
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await read(app, file("team.sql", SCRIPT));
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 200_000 });
  return app;
}

async function countsPiers(app: App) {
  await app.runSql("SELECT COUNT(*) AS piers FROM piers");
  await expect(app.rows.getByText("19", { exact: true })).toBeVisible();
}

test("a query stops inside one long function, and the database still answers", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(BUSY);
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql(ONE_FUNCTION);
  await page.waitForTimeout(500);
  await page.getByRole("button", { name: /^Stop/ }).click();
  await expect(page.getByText("Stopped.").first()).toBeVisible({ timeout: 1_500 });
  await countsPiers(app);
});

test("a query that passes its time limit inside one long function ends", async ({ page }) => {
  const app = new App(page);
  await app.open({ limits: { timeout_ms: 1_000, max_rows: 1_000 } });
  await app.ask(BUSY);
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql(ONE_FUNCTION);
  await expect(page.getByText("Stopped after 1 s.").first()).toBeVisible({ timeout: 5_000 });
  await countsPiers(app);
});

test("a question asked while another is answered takes its place", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(LATE);
  await app.ask(BUSY);
  await expect(app.rows.getByRole("heading", { name: "3 rows" })).toBeVisible();
  await expect(app.sql.getByText("piers").first()).toBeVisible();
  // No late answer of the first.
  await page.waitForTimeout(1_000);
  await expect(app.rows.getByRole("heading", { name: "3 rows" })).toBeVisible();
});

test("quick questions and stops leave no view behind", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 12; i++) await app.ask(i % 2 ? LATE : BUSY);
    await page.keyboard.press("Escape");
  }
  await app.ask(LATE);
  await expect(app.rows.getByRole("heading", { name: "12 rows" })).toBeVisible();
});

test("a replaced history comes back with Undo and is kept", async ({ page }) => {
  test.setTimeout(240_000);
  const replaced = page.getByText("The history was replaced");
  const app = await withHistory(page);
  await expect(app.rail.getByText(/from 2 queries/)).toBeVisible();
  await expect(replaced).toHaveCount(0);
  await app.addHistory(knowledge);
  await expect(replaced).toBeVisible();
  await expect(app.rail.getByText(/from 2 queries/)).toBeHidden();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await expect(app.rail.getByText(/from 2 queries/)).toBeVisible();
  await page.waitForTimeout(500);
  await page.reload();
  await app.ready();
  await expect(app.rail.getByText(/from 2 queries/)).toBeVisible();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
});

test("Undo takes nothing away that was added since", async ({ page }) => {
  const app = await withHistory(page);
  await app.rail.getByRole("button", { name: "Remove history" }).click();
  const undo = page.getByRole("button", { name: /^Undo/ });
  await undo.hover();
  await read(app, file("one.sql", "SELECT name FROM piers;"));
  await expect(app.rail.getByText(/from 1 query/)).toBeVisible();
  // The offer may have gone by itself.
  if (await undo.isVisible()) {
    await undo.click();
    await expect(page.getByText("The history has changed since. Nothing was undone.")).toBeVisible();
  }
  await expect(app.rail.getByText(/from 1 query/)).toBeVisible();
});

test("a removed history comes back with Undo, and stays away after a reload without it", async ({ page }) => {
  const app = await withHistory(page);
  const remove = app.rail.getByRole("button", { name: "Remove history" });
  await remove.click();
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await expect(app.rail.getByText(/from 2 queries/)).toBeVisible();
  await remove.click();
  await expect(remove).toBeHidden();
  await page.waitForTimeout(500);
  await page.reload();
  await app.ready();
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await expect(app.rail.getByText("none yet")).toBeVisible();
  await app.rail.getByRole("button", { name: "Bring the removed one back" }).click();
  await expect(app.rail.getByText(/from 2 queries/)).toBeVisible();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
});

test("each file that was read has its report", async ({ page }) => {
  const app = await withHistory(page);
  await read(app, file("log.csv", "q,runs,plan,s\nHow many piers are there?,5000000000,x,SELECT COUNT(*) FROM piers\n"));
  await expect(app.rail.getByText("log.csv: 0 merged, 0 skipped.")).toBeVisible();
  await app.rail.getByRole("button", { name: "Import report" }).click();
  const report = page.getByRole("dialog", { name: "Import report" });
  await expect(report.getByText("Columns not read: plan.")).toBeVisible();
  await report.getByLabel("File").selectOption({ label: "team.sql, 2 read" });
  await expect(report.getByText("Columns not read")).toHaveCount(0);
  await expect(report.getByText("team.sql", { exact: true })).toBeVisible();
});

test("a knowledge base of a newer version is named, not read as a table", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const newer = JSON.stringify({ ...JSON.parse(knowledge.buffer.toString()), version: 99 });
  await app.addHistory(file("knowledge.json", newer));
  await expect(page.getByText(/The history was not loaded: .*version 99/)).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a history in which no query can be read changes nothing and says why", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const before = await app.rail.getByText(/items from \d+ queries/).textContent();
  await read(app, file("broken.sql", "SELECT FROM WHERE;\nDELETE FROM piers;"));
  const report = page.getByRole("dialog", { name: "Import report" });
  await expect(report.getByText("No query could be read.")).toBeVisible();
  await expect(report.getByText("not a query (DELETE)")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(report).toBeHidden();
  await expect(app.rail.getByText((before ?? "").trim())).toBeVisible();
  await app.ask(BUSY);
  await expect(app.rows.getByRole("heading", { name: "3 rows" })).toBeVisible();
});

test("indexing ends with the workspace it was begun for", async ({ page }) => {
  test.setTimeout(240_000);
  const release = await heldEncoder(page);
  const app = new App(page);
  await app.open({ encoder: "tiny", device: "Cpu" });
  const there = await app.rail.getByText(/items from \d+ queries/).textContent();
  await app.openFile(ferries);
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await read(app, file("team.sql", SCRIPT));
  await expect(app.rail.getByRole("progressbar")).toBeVisible();
  await app.menu(/Norhaven/);
  await expect(app.rail.getByText((there ?? "").trim())).toBeVisible();
  await expect(app.rail.getByRole("progressbar")).toHaveCount(0);
  release();
  await page.waitForTimeout(2_000);
  await expect(app.rail.getByText((there ?? "").trim())).toBeVisible();
  await expect(app.rail.getByRole("progressbar")).toHaveCount(0);
  await app.menu(/ferries/);
  await expect(app.rail.getByText(/from 2 queries/)).toBeVisible();
});

test("an item hidden while the history is indexed stays hidden", async ({ page }) => {
  test.setTimeout(240_000);
  const release = await heldEncoder(page);
  const app = new App(page);
  await app.open({ encoder: "tiny", device: "Cpu" });
  await app.openFile(ferries);
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await read(app, file("team.sql", SCRIPT));
  await expect(app.rail.getByRole("progressbar")).toBeVisible();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  const items = page.getByRole("table", { name: "Items" });
  const inspector = page.getByRole("complementary", { name: "Item" });
  await items.locator("[data-item]").nth(0).click();
  await inspector.getByRole("button", { name: "Edit description" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit the description" });
  await dialog.getByRole("textbox").fill("Where ships lie.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await inspector.getByRole("button", { name: "Hide" }).click();
  await expect(inspector.getByText("hidden, not retrieved")).toBeVisible();
  release();
  await expect(page.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 200_000 });
  await expect(inspector.getByText("hidden, not retrieved")).toBeVisible();
  await expect(inspector.getByText("Where ships lie.")).toBeVisible();
  await expect(page.getByText("not yet indexed")).toHaveCount(0);
  await page.reload();
  await app.ready();
  await expect(page.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
  await page.getByRole("searchbox", { name: "Search" }).fill("Where ships lie");
  await expect(items.locator("[data-item]")).toHaveCount(1);
});
