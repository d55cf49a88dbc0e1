import { readFileSync, truncateSync, writeFileSync } from "node:fs";

import type { Page, TestInfo } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const file = (name: string, content: Buffer | string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.isBuffer(content) ? content : Buffer.from(content),
});
const ferries = file("ferries.sqlite", norhaven);

async function opened(app: App) {
  await app.open({ encoder: "tiny" });
  await app.openFile(ferries);
  await expect(app.page.getByText("Add the queries you already have")).toBeVisible();
}

// The tiny encoder knows no language: which query is nearest says nothing here.
const answer = (app: App) => app.page.getByText(/Adapted from query #\d+|close enough/).first();

const dialogOf = (app: App) => app.page.getByRole("dialog", { name: "Add history" });

async function readFile(app: App, history: Parameters<App["addHistory"]>[0]) {
  await app.addHistory(history);
  await dialogOf(app).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 120_000 });
}

test("a script of SQL Server is read: what was rewritten and what does not run is in the report", async ({ page }) => {
  const app = new App(page);
  await opened(app);
  const script = [
    "-- The largest vessels",
    "DECLARE @seats int = 150",
    "SELECT TOP 5 name FROM vessels WHERE seats > @seats ORDER BY seats DESC",
    "GO",
    "-- Vessels by their class",
    "CREATE VIEW by_class AS SELECT class, COUNT(*) AS vessels FROM vessels WITH (NOLOCK) GROUP BY class;",
    "SELECT * EXCEPT (seats) FROM vessels;",
    "{{ min_row_count(1) }};",
  ].join("\n");
  await readFile(app, file("server.sql", script));
  await expect(app.rail.getByText("1 skipped")).toBeVisible();
  await app.rail.getByRole("button", { name: "Import report" }).click();
  const report = page.getByRole("dialog", { name: "Import report" });
  await expect(report.getByText(/a template: it is SQL only once it is filled in/)).toBeVisible();
  await report.getByRole("tab", { name: /Remarks/ }).click();
  await expect(report.getByText(/rewritten for SQLite: .*TOP as LIMIT/)).toBeVisible();
  await expect(report.getByText(/the query inside CREATE VIEW by_class/)).toBeVisible();
  await expect(report.getByText(/read as SQL of BigQuery/)).toBeVisible();
  await page.keyboard.press("Escape");
  await app.ask("The largest vessels");
  await expect(answer(app)).toBeVisible();
});

test("UTF-16 with and without a mark, and a byte order mark, are read", async ({ page }) => {
  const app = new App(page);
  await opened(app);
  const text = "-- Schiffe über 100 Plätze\r\nSELECT name FROM vessels WHERE seats > 100;\r\n";
  const utf16 = Buffer.from(text, "utf16le");
  for (const [name, content] of [
    ["mark.sql", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ["plain.sql", utf16],
    ["utf8.sql", Buffer.from("\ufeff" + text)],
  ] as const) {
    await readFile(app, file(name, content));
  }
  await expect(app.rail.getByText("1 merged")).toBeVisible();
  await app.ask("Schiffe über 100 Plätze");
  await expect(answer(app)).toBeVisible();
});

test("the columns of a table are chosen by hand", async ({ page }) => {
  const app = new App(page);
  await opened(app);
  const table = [
    "what,asked,body",
    'first,How many vessels?,"(SELECT) see next"',
    'second,How many vessels are there?,"SELECT COUNT(*) FROM vessels"',
    'third,How many piers are there?,"SELECT COUNT(*) FROM piers"',
  ].join("\n");
  await app.addHistory(file("odd.csv", table));
  const dialog = dialogOf(app);
  await dialog.getByLabel("SQL", { exact: true }).selectOption({ label: "choose a column" });
  await expect(dialog.getByRole("alert")).toContainText("Choose the column that holds the SQL");
  await expect(dialog.getByRole("button", { name: "Read the file" })).toBeDisabled();
  await dialog.getByLabel("SQL", { exact: true }).selectOption("body");
  await dialog.getByLabel("Question").selectOption("asked");
  await dialog.getByLabel("Author").selectOption("what");
  await dialog.getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/1 skipped/)).toBeVisible({ timeout: 60_000 });
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 60_000 });
  await app.ask("How many piers are there?");
  await expect(answer(app)).toBeVisible();
});

const MB = 1_000_000;
const statement = (i: number) => `SELECT name FROM vessels WHERE seats > ${i % 400} AND class = 'a class of vessels whose name is long enough to fill a line ${i % 40}'`;

/** Writes so many bytes without a line break; a file that is picked by its path costs the page nothing before it is read. */
function oneLine(info: TestInfo, form: string, bytes: number): string {
  const pieces: string[] = [];
  const wrapped = form === "sql" ? (sql: string) => `${sql};` : (sql: string) => `{"question": "Which?", "sql": "${sql}"}`;
  for (let i = 0, length = 0; length < bytes; i += 1) length += pieces[pieces.push(wrapped(statement(i))) - 1].length;
  const path = info.outputPath(`line.${form}`);
  writeFileSync(path, form === "sql" ? pieces.join("") : `[${pieces.join(",")}]`);
  return path;
}

/** Notes how long each frame takes from now on; gives the longest. */
async function frames(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const noted = { last: performance.now(), longest: 0 };
    const tick = () => {
      const now = performance.now();
      noted.longest = Math.max(noted.longest, now - noted.last);
      noted.last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    (window as unknown as { noted: typeof noted }).noted = noted;
  });
  return () => page.evaluate(() => (window as unknown as { noted: { longest: number } }).noted.longest);
}

/** Notes the progress that is shown from now on; presses Cancel as soon as it is that of `stop`. */
async function progress(page: Page, stop = ""): Promise<() => Promise<string[]>> {
  await page.evaluate((stop) => {
    const seen: string[] = [];
    new MutationObserver(() => {
      const bar = document.querySelector(".rail [role=progressbar]");
      const name = bar?.getAttribute("aria-label") ?? "";
      const said = `${name}: ${bar?.getAttribute("aria-valuetext") ?? ""}`;
      if (bar && said !== seen.at(-1)) seen.push(said);
      if (name !== "" && name === stop) bar?.parentElement?.querySelector("button")?.click();
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
    (window as unknown as { seen: string[] }).seen = seen;
  }, stop);
  return () => page.evaluate(() => (window as unknown as { seen: string[] }).seen);
}

for (const form of ["sql", "json"]) {
  test(`ten megabytes of ${form} in one line are read, and the page answers while it reads`, async ({ page }, info) => {
    test.setTimeout(300_000);
    const app = new App(page);
    await opened(app);
    const path = oneLine(info, form, 10 * MB);
    const longest = await frames(page);
    const seen = await progress(page);
    const start = Date.now();
    await readFile(app, path);
    const figures = `10 MB of ${form} in one line: ${Date.now() - start} ms, longest frame ${Math.round(await longest())} ms`;
    info.annotations.push({ type: "measured", description: figures });
    console.log(figures);
    expect(await longest(), "milliseconds of the longest frame").toBeLessThan(1000);
    // What is over at once shows no progress.
    const told = await seen();
    expect(told.length === 0 || /: [\d,.]+ ?\S* of /.test(told.join("; ")), told.join("; ")).toBe(true);
    await expect(app.rail.getByText(/merged/)).toBeVisible();
  });
}

for (const phase of ["Looking through the file", "Reading"]) {
  test(`a long file is left while the page shows “${phase}”, and nothing is changed`, async ({ page }, info) => {
    test.setTimeout(180_000);
    const app = new App(page);
    await opened(app);
    const seen = await progress(page, phase);
    await app.addHistory(oneLine(info, "sql", 60 * MB));
    if (phase === "Reading") await dialogOf(app).getByRole("button", { name: "Read the file" }).click({ timeout: 60_000 });
    await expect(page.getByText("Reading was stopped. Nothing was changed.")).toBeAttached({ timeout: 60_000 });
    await expect(page.getByRole("progressbar")).toHaveCount(0);
    await expect(dialogOf(app)).toHaveCount(0);
    await expect(page.getByText("Add the queries you already have")).toBeVisible();
    // The progress is of the file's bytes.
    expect((await seen()).at(-1)).toMatch(new RegExp(`^${phase}: [\\d.]+ [KM]B of 60\\.\\d MB$`));
  });
}

test("storage that fills up in the middle of an import keeps what was there", async ({ page, context }) => {
  const app = new App(page);
  await opened(app);
  await readFile(app, file("first.sql", "-- All piers\nSELECT name FROM piers;"));
  const session = await context.newCDPSession(page);
  const origin = new URL(page.url()).origin;
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin });
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: Math.ceil(usage) + 20_000 });
  const many = Array.from({ length: 400 }, (_, i) => `SELECT name, ${i} AS n${i} FROM vessels WHERE seats > ${i};`);
  await readFile(app, file("second.sql", many.join("\n")));
  await expect(page.getByText(/storage is full/)).toHaveCount(1);
  await app.ask("All piers");
  await expect(answer(app)).toBeVisible();
  // What was kept before is whole.
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  await page.reload();
  await app.ready();
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
});

test("storage that is cleared while the page is open loses nothing", async ({ page, context }) => {
  const app = new App(page);
  await opened(app);
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  // It has this name before it is kept, too.
  await expect.poll(() => page.evaluate(() => localStorage.getItem("querylore.last-workspace"))).toBe("0");
  const session = await context.newCDPSession(page);
  const origin = new URL(page.url()).origin;
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await readFile(app, file("first.sql", "-- All piers\nSELECT name FROM piers;"));
  await expect(page.getByText(/storage was cleared\. The open database was put back/)).toBeVisible();
  await page.reload();
  await app.ready();
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
  // Opened from the storage itself, the file is gone with it: the page says so and goes on.
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await readFile(app, file("second.sql", "-- All vessels\nSELECT name FROM vessels;"));
  await expect(page.getByText(/storage was cleared\. This database lives until the tab closes/)).toBeVisible();
  await app.ask("All vessels");
  await expect(answer(app)).toBeVisible();
});

test("a database of more than two gigabytes is refused with the limit", async ({ page }, info) => {
  const app = new App(page);
  await app.open();
  // The file is sparse: it takes no room, and the page reads no more than its beginning.
  const path = info.outputPath("huge.sqlite");
  writeFileSync(path, norhaven.subarray(0, 4096));
  truncateSync(path, 2_200_000_000);
  await app.openFile(path);
  const notice = page.getByRole("alert").filter({ hasText: "huge.sqlite" });
  await expect(notice).toContainText("too large: it has 2.2 GB, a database is held in memory, and the limit is 2.1 GB");
  await expect(notice).toContainText("Nothing was changed");
  await expect(app.rail.getByText("10 tables")).toBeVisible();
});
