import { readFileSync } from "node:fs";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const ferries = { name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven };
const script = { name: "team.sql", mimeType: "text/plain", buffer: Buffer.from("SELECT name FROM vessels;") };

test("a full storage is said, and the database works until the tab closes", async ({ page, context }) => {
  const app = new App(page);
  await app.open();
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin, quotaSize: 300_000 });
  await app.openFile(ferries);
  await expect(page.getByText(/storage is full/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Database" })).toContainText("ferries");
  await expect(app.rail.getByText("10 tables")).toBeVisible();
});

test("a private window keeps nothing and says so", async ({ page }) => {
  await page.addInitScript(() => {
    navigator.storage.getDirectory = () => Promise.reject(new DOMException("not here", "SecurityError"));
  });
  const app = new App(page);
  await app.open();
  await app.openFile(ferries);
  await expect(page.getByText(/until the tab closes/).first()).toBeVisible();
  await expect(app.rail.getByText("10 tables")).toBeVisible();
});

test.describe("without a network", () => {
  test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|Failed to fetch/] });

  test("what was loaded goes on, and what was not is named", async ({ page, context }) => {
    const app = new App(page);
    await app.open();
    await context.setOffline(true);
    await page.getByRole("button", { name: /^How many/ }).first().click();
    await expect(page.getByText(/Adapted from query #\d+/)).toBeVisible();
    await app.ask("Which quay is the busiest on a rainy day?");
    await expect(page.getByText(/cannot be reached/).first()).toBeVisible();
    await context.setOffline(false);
    await app.ask("Which quay is the busiest on a rainy day in May?");
    await expect(page.getByText(/Adapted from query #\d+|Nothing in the history|None of the|close enough/).first()).toBeVisible({ timeout: 60_000 });
  });
});

test.describe("after a crash", () => {
  test.use({ allowedErrors: [/out of memory/] });

  test("a worker that dies is replaced, and the next question is answered", async ({ page }) => {
    const workers: import("@playwright/test").Worker[] = [];
    page.on("worker", (worker) => workers.push(worker));
    const app = new App(page);
    await app.open();
    const database = workers.find((worker) => worker.url().includes("db_worker"));
    await database?.evaluate(() => { setTimeout(() => { throw new Error("out of memory"); }, 0); }).catch(() => {});
    await app.question.fill("");
    await page.getByRole("button", { name: /^How many/ }).first().click();
    await expect(page.getByText(/Adapted from query #\d+|stopped/).first()).toBeVisible();
    await page.getByRole("button", { name: /^Ask/ }).click();
    await expect(page.getByText(/Adapted from query #\d+/)).toBeVisible();
  });
});

test("a history while the storage is full still answers", async ({ page, context }) => {
  const app = new App(page);
  await app.open({ encoder: "tiny" });
  await app.openFile(ferries);
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin, quotaSize: 1000 });
  await app.addHistory(script);
  await page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed/)).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/storage is full/).first()).toBeVisible();
});
