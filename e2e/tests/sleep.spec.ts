import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";
import { modelServer } from "./model_server";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const CROWDED = "How many crowded sailings did each route have in August 2024?";
const NIGHT_MS = 8 * 3_600_000;

type Counted = Window & { ticks: number };

/** Stops the processes of the page, workers and all, as the sleep of a computer does; to the page's clock it is a night. */
async function sleep(page: Page, ms: number) {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const renderers = processInfo.filter((process) => process.type === "renderer").map((process) => process.id);
  expect(renderers.length).toBeGreaterThan(0);
  await page.evaluate((night) => {
    const now = performance.now.bind(performance);
    let [last, slept] = [now(), 0];
    // Whoever asks first after waking sees the clock of the morning.
    performance.now = () => {
      const real = now();
      if (real - last > 1500) slept += night;
      last = real;
      return real + slept;
    };
    const counted = window as unknown as Counted;
    counted.ticks = 0;
    setInterval(() => {
      counted.ticks += 1;
      performance.now();
    }, 100);
  }, NIGHT_MS);
  const ticks = () => page.evaluate(() => (window as unknown as Counted).ticks);
  const before = await ticks();
  for (const renderer of renderers) process.kill(renderer, "SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, ms));
  for (const renderer of renderers) process.kill(renderer, "SIGCONT");
  // The page really slept: its timers did not run.
  expect((await ticks()) - before).toBeLessThan((ms / 100) * 0.5);
}

/** Seconds in "about 2 min 10 s left". */
function seconds(text: string): number {
  const part = (unit: RegExp) => Number(unit.exec(text)?.[1] ?? 0);
  return part(/(\d+) h/) * 3600 + part(/(\d+) min/) * 60 + part(/(\d+) s\b/);
}

test("a history is indexed over a night's sleep, and the time left is that of the work", async ({ page }) => {
  test.setTimeout(240_000);
  const app = new App(page);
  await app.open({ encoder: "tiny" });
  await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  const many = Array.from({ length: 4000 }, (_, i) => `SELECT name, ${i} AS n${i} FROM vessels WHERE seats > ${i} AND class = 'c${i}';`);
  await app.addHistory({ name: "many.sql", mimeType: "text/plain", buffer: Buffer.from(many.join("\n")) });
  await page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  const progress = app.rail.getByRole("progressbar", { name: "Indexing" });
  await expect(progress).toBeVisible({ timeout: 60_000 });
  const left = app.rail.getByText(/^about .* left$/);
  await expect(left).toBeVisible();
  await page.evaluate(() => {
    const seen: string[] = [];
    new MutationObserver(() => {
      const text = /about [^<]* left/.exec(document.querySelector(".rail")?.textContent ?? "")?.[0];
      if (text && text !== seen.at(-1)) seen.push(text);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
    (window as unknown as { seen: string[] }).seen = seen;
  });
  const before = seconds((await left.textContent()) ?? "");
  await sleep(page, 3000);
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 120_000 });
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(Math.max(0, ...seen.map(seconds)), `${before} s before, then ${seen.join("; ")}`).toBeLessThan(4 * before + 30);
});

test.describe("with a model", () => {
  test.use({ allowedErrors: [/Failed to load resource|ERR_/] });
  let served: Awaited<ReturnType<typeof modelServer>>;
  test.beforeEach(async () => {
    served = await modelServer();
  });
  test.afterEach(() => served.close());

  async function asked(page: Page, model: string) {
    const app = new App(page);
    await app.open({ model: { address: served.url, way: "Direct", silence_s: 5, ask: { model } } });
    await app.ask(CROWDED);
    await expect(page.getByText(/Answer \d+ tokens/).first()).toBeVisible();
    return app;
  }

  test("an answer that was being written is taken up again after waking", async ({ page }) => {
    const app = await asked(page, "steady");
    // Longer than the model may be silent.
    await sleep(page, 8000);
    await expect(page.getByText("Answered by steady.")).toBeVisible();
    await expect(app.rows.getByRole("row")).toHaveCount(2);
    // Nobody wrote for a night.
    await expect(page.getByText(/\d h\b/)).toHaveCount(0);
    await app.ask(CROWDED);
    await expect(page.getByText(/Answer \d+ tokens/).first()).toBeVisible();
  });

  test("an answer whose server went away meanwhile says so, and the next one works", async ({ page }) => {
    const app = await asked(page, "leaves");
    await sleep(page, 6000);
    await expect(page.getByRole("alert").filter({ hasText: /cut off/ }).first()).toBeVisible();
    await expect(page.getByRole("button", { name: /^Ask/ })).toBeEnabled();
    await page.getByLabel("Who writes the SQL").selectOption({ label: "Adapted, no model" });
    await app.ask(CROWDED);
    await expect(page.getByText(/Adapted from query #\d+/)).toBeVisible();
  });
});

test("a query that runs when the computer sleeps ends in words, and the database still answers", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n");
  await expect(page.getByRole("button", { name: /^Stop/ })).toBeVisible();
  await sleep(page, 3000);
  // It goes on where it was, or has passed its limit: either can be seen, and both leave the database usable.
  const stop = page.getByRole("button", { name: /^Stop/ }).first();
  await expect(stop.or(page.getByText(/Stopped after/).first())).toBeVisible();
  if (await stop.isVisible()) await stop.click();
  await expect(page.getByText(/^Stopped/).first()).toBeVisible();
  await app.runSql("SELECT COUNT(*) AS piers FROM piers");
  await expect(app.rows.getByText("19", { exact: true })).toBeVisible();
});
