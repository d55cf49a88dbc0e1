import { readFileSync } from "node:fs";

import type { BrowserContext, Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });

test("an opened database survives a reload, is renamed, removed and brought back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.openFile(file("my ferries.sqlite", norhaven));
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("my ferries");
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await page.reload();
  await app.ready();
  await expect(page.getByRole("button", { name: "Database" })).toContainText("my ferries");
  await app.menu("Rename");
  const dialog = page.getByRole("dialog", { name: "Rename" });
  await dialog.getByRole("textbox").fill("Fähren");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("button", { name: "Database" })).toContainText("Fähren");
  await app.menu("Remove");
  await expect(page.getByRole("button", { name: "Database" })).toContainText("Norhaven Ferries");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: "Database" })).toContainText("Fähren");
});

/** A kept database in one tab, and a second tab, which opens the same. */
async function twoTabs(page: Page, context: BrowserContext) {
  const app = new App(page);
  await app.open();
  await app.openFile(file("ferries.sqlite", norhaven));
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  const other = await context.newPage();
  await other.goto("/");
  await new App(other).ready();
  return { app, other };
}

test("a second tab says that the workspace is open elsewhere, and can take over", async ({ page, context }) => {
  const { other } = await twoTabs(page, context);
  await expect(other.getByText("This workspace is open in another tab.")).toBeVisible();
  await other.getByRole("button", { name: "Take over here" }).click();
  await expect(other.getByText("This workspace is open in another tab.")).toBeHidden();
  await expect(page.getByText("This workspace is open in another tab.")).toBeVisible();
});

test("a workspace that another tab removed is put back by the tab that takes it over", async ({ page, context }) => {
  const { app, other } = await twoTabs(page, context);
  await other.getByRole("button", { name: "Take over here" }).click();
  await expect(page.getByText("This workspace is open in another tab.")).toBeVisible();
  await new App(other).menu("Remove");
  await expect(other.getByRole("button", { name: "Database" })).toHaveText("Norhaven Ferries");
  await page.getByRole("button", { name: "Take over here" }).click();
  await expect(page.getByText(/was removed in another tab. It was put back/)).toBeVisible();
  await page.reload();
  await app.ready();
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
});

test("a damaged list finds its databases again", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.openFile(file("ferries.sqlite", norhaven));
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("workspaces");
    const writer = await (await folder.getFileHandle("list.json")).createWritable();
    await writer.write('{"next_id":1,"li');
    await writer.close();
  });
  await page.reload();
  await app.ready();
  await expect(page.getByText(/1 database was found again/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("Database 1");
  await app.openFile(file("second.sqlite", norhaven));
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("second");
  await page.reload();
  await app.ready();
  await app.menu("Database 1");
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("Database 1");
});

const bad: [string, Buffer, RegExp][] = [
  ["empty.db", Buffer.alloc(0), /empty/i],
  ["notes.db", Buffer.from("Not a database at all.\n".repeat(50)), /not a SQLite database/i],
  ["half.db", norhaven.subarray(0, 100_000), /truncated|cut|shorter|incomplete/i],
  ["secret.db", Buffer.from(Array.from({ length: 8192 }, (_, i) => (i * 7919 + ((i * i) >> 3)) & 255)), /not a SQLite database|encrypted/i],
];
for (const [name, bytes, words] of bad) {
  test(`${name} is refused with a reason, and the open database stays`, async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.openFile(file(name, bytes));
    const notice = page.getByRole("alert").filter({ hasText: name });
    await expect(notice).toContainText(words);
    await expect(notice).toContainText("Nothing was changed");
    await expect(app.rail.getByText("10 tables")).toBeVisible();
  });
}

test("a query that would change the database is refused by the engine", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql("DELETE FROM piers");
  await expect(page.getByText(/would change the database/)).toBeVisible();
  await app.runSql("SELECT COUNT(*) AS piers FROM piers");
  await expect(app.rows.getByText("19", { exact: true })).toBeVisible();
});

test("values are shown faithfully", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql("SELECT 9007199254740993 AS big, NULL AS missing, x'00ff' AS bytes, CAST(x'ff41' AS TEXT) AS odd, 'grün' AS text");
  await expect(app.rows.getByText("9007199254740993")).toBeVisible();
  await expect(app.rows.getByText("NULL", { exact: true })).toBeVisible();
  await expect(app.rows.getByText(/blob, 2 bytes/)).toBeVisible();
  await expect(app.rows.getByText("grün")).toBeVisible();
});
