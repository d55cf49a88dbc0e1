import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const knowledge = readFileSync("../dist/demo/knowledge.json");
const HOST = "data.example";
const DATABASE = `https://${HOST}/files/ferries.sqlite`;
const HISTORY = `https://${HOST}/files/knowledge.json`;
const CROWDED = "How many crowded sailings did each route have in August 2024?";
const open = (page: Page) => page.getByRole("button", { name: "Database" });

/** Another server, and what was asked of it. */
async function elsewhere(page: Page) {
  const asked: string[] = [];
  await page.route(`https://${HOST}/**`, (route) => {
    asked.push(route.request().url());
    const headers = { "access-control-allow-origin": "*" };
    if (route.request().url() === DATABASE) return route.fulfill({ body: norhaven, headers });
    if (route.request().url() === HISTORY) return route.fulfill({ body: knowledge, headers });
    return route.fulfill({ status: 404, body: "", headers });
  });
  return asked;
}

async function go(page: Page, parameters: Record<string, string>) {
  await page.goto(`/?${new URLSearchParams(parameters)}`);
  await new App(page).ready();
}

test("a link to the demo asks its question at once", async ({ page }) => {
  await go(page, { demo: "1", q: CROWDED });
  const app = new App(page);
  await expect(page.getByText(/Adapted from query #31/)).toBeVisible();
  await expect(app.question).toHaveValue(CROWDED);
  expect(new URL(page.url()).search).toBe("");
});

test("nothing foreign is fetched before the user agrees, and nothing when they do not", async ({ page }) => {
  const asked = await elsewhere(page);
  await go(page, { db: DATABASE, history: HISTORY, q: CROWDED });
  const dialog = page.getByRole("dialog", { name: "Open what this link names?" });
  await expect(dialog.getByText(DATABASE)).toBeVisible();
  await expect(dialog.getByText(HISTORY)).toBeVisible();
  await expect(dialog.getByText(`from ${HOST}`)).toHaveCount(2);
  await expect(dialog.getByText(CROWDED)).toBeVisible();
  expect(asked).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(open(page)).toHaveText("Norhaven Ferries");
  await expect(new App(page).question).toHaveValue("");
  expect(asked).toEqual([]);
  expect(new URL(page.url()).search).toBe("");
});

test("what the user agrees to is fetched, opened, asked, and not fetched again", async ({ page }) => {
  const asked = await elsewhere(page);
  const app = new App(page);
  await go(page, { db: DATABASE, history: HISTORY, q: CROWDED });
  await page.getByRole("button", { name: "Fetch and open" }).click();
  await expect(open(page)).toHaveText("ferries");
  await expect(page.getByText(/Adapted from query #31/)).toBeVisible({ timeout: 60_000 });
  expect(asked).toEqual([DATABASE, HISTORY]);
  await page.reload();
  await app.ready();
  await expect(open(page)).toHaveText("ferries");
  // The same link leads to the workspace that is here.
  await go(page, { db: DATABASE, history: HISTORY });
  await expect(open(page)).toHaveText("ferries");
  await expect(app.rail.getByText("134 queries", { exact: true })).toBeVisible();
  await expect(page.getByRole("dialog", { name: "Open what this link names?" })).toBeHidden();
  expect(asked).toEqual([DATABASE, HISTORY]);
  await open(page).click();
  await expect(page.getByRole("menuitemradio")).toHaveCount(2);
});

test("files beside the page need no word", async ({ page }) => {
  const app = new App(page);
  await page.addInitScript(() => localStorage.setItem("querylore.settings", JSON.stringify({ encoder: "tiny" })));
  await go(page, { db: "demo/norhaven.sqlite", history: "demo/history.jsonl", q: "How many piers are there?" });
  await expect(open(page)).toHaveText("norhaven");
  await expect(app.rail.getByText(/Indexed, \d+ vectors/)).toBeVisible({ timeout: 60_000 });
  await expect(app.question).toHaveValue("How many piers are there?");
  await expect(page.getByText(/Adapted from query|Nothing in the history|None of the|close enough/).first()).toBeVisible();
});

test.describe("files that cannot be had", () => {
  test.use({ allowedErrors: [/404|Failed to load|ERR_FAILED|Unsafe attempt to load URL/] });

  test("are named, and what was open is open", async ({ page }) => {
    await elsewhere(page);
    await go(page, { db: "demo/none.sqlite" });
    await expect(page.getByRole("alert").filter({ hasText: "demo/none.sqlite" })).toContainText("404");
    await expect(open(page)).toHaveText("Norhaven Ferries");
    await go(page, { db: `https://${HOST}/none.sqlite` });
    await page.getByRole("button", { name: "Fetch and open" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "none.sqlite" })).toContainText("404");
    await expect(open(page)).toHaveText("Norhaven Ferries");
  });

  test("an address that was agreed to and leads elsewhere is not followed", async ({ page }) => {
    const asked = await elsewhere(page);
    await page.route("https://first.example/**", (route) =>
      route.fulfill({ status: 302, headers: { location: DATABASE, "access-control-allow-origin": "*" } }),
    );
    await go(page, { db: "https://first.example/a.sqlite" });
    await page.getByRole("button", { name: "Fetch and open" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "first.example" })).toContainText("sends on to another address");
    expect(asked).toEqual([]);
    await expect(open(page)).toHaveText("Norhaven Ferries");
  });

  test("an own address that leads elsewhere is not followed", async ({ page }) => {
    const asked = await elsewhere(page);
    await page.route("**/moved.sqlite", (route) => route.fulfill({ status: 302, headers: { location: DATABASE } }));
    await go(page, { db: "moved.sqlite" });
    await expect(page.getByRole("alert").filter({ hasText: "moved.sqlite" })).toContainText("cannot be reached");
    expect(asked).toEqual([]);
    await expect(open(page)).toHaveText("Norhaven Ferries");
  });
});

const bad: [Record<string, string>, RegExp][] = [
  [{ db: "javascript:alert(1)" }, /begins with “javascript:”/],
  [{ db: "file:///etc/passwd" }, /begins with “file:”/],
  [{ db: "data:text/plain,x" }, /begins with “data:”/],
  [{ db: "" }, /without an address/],
  [{ db: "https://" }, /not an address/],
  [{ db: "https://me:secret@data.example/a.db" }, /name or password/],
  [{ history: "a.sql" }, /without its database/],
  [{ demo: "1", db: "a.db" }, /Only one of them/],
];
test("a link that cannot be followed says why", async ({ page }) => {
  const asked = await elsewhere(page);
  for (const [parameters, words] of bad) {
    await go(page, parameters);
    const notice = page.getByRole("alert").filter({ hasText: "This link cannot be followed." });
    await expect(notice).toContainText(words);
    await expect(notice).not.toContainText("secret");
    await expect(open(page)).toHaveText("Norhaven Ferries");
  }
  expect(asked).toEqual([]);
});

test("a question alone waits in the box", async ({ page }) => {
  await go(page, { q: CROWDED });
  await expect(new App(page).question).toHaveValue(CROWDED);
  await expect(page.getByText(/Adapted from query/)).toBeHidden();
});

test("a model is asked by no link alone", async ({ page }) => {
  const model: string[] = [];
  await page.route("http://127.0.0.1:9/**", (route) => {
    model.push(route.request().url());
    return route.abort();
  });
  const settings = { model: { address: "http://127.0.0.1:9", way: "Direct" } };
  await page.addInitScript((kept) => localStorage.setItem("querylore.settings", kept), JSON.stringify(settings));
  await go(page, { demo: "1", q: CROWDED });
  await expect(new App(page).question).toHaveValue(CROWDED);
  await page.waitForTimeout(500);
  expect(model).toEqual([]);
});

test("a link is copied that leads back", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const app = new App(page);
  await go(page, { demo: "1", q: CROWDED });
  await expect(page.getByText(/Adapted from query #31/)).toBeVisible();
  await app.menu("Copy link");
  await expect(page.getByText("Copied the link")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).searchParams.get("demo")).toBe("1");
  expect(new URL(link).searchParams.get("q")).toBe(CROWDED);
  await page.goto(link);
  await expect(page.getByText(/Adapted from query #31/)).toBeVisible();
});
