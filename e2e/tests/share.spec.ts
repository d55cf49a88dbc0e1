import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });
const open = (page: Page) => page.getByRole("button", { name: "Database" });
const PIERS = "The 3 busiest piers on event days";

/** Exports the open workspace and gives its name and bytes. */
async function exported(page: Page, withDatabase: boolean) {
  await new App(page).menu("Export");
  const dialog = page.getByRole("dialog", { name: /^Export / });
  await dialog.getByRole("checkbox", { name: /With the database, \d/ }).setChecked(withDatabase);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export", exact: true }).click();
  const got = await download;
  await expect(page.getByText(/^Exported /).first()).toBeVisible();
  return { name: got.suggestedFilename(), bytes: readFileSync(await got.path()) };
}

/** Waits until the open workspace is kept: only then it can be renamed. */
async function kept(page: Page) {
  await open(page).click();
  await expect(page.getByRole("menuitem", { name: "Rename" })).toBeVisible();
  await page.keyboard.press("Escape");
}

/** A database that is not the demo's: the same, and a page of zeros behind it. */
const longer = Buffer.concat([norhaven, Buffer.alloc(4096)]);

test("a workspace goes out and comes back as one file, with history, edits and vectors", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(request.url()));
  const app = new App(page);
  await page.addInitScript(() => localStorage.setItem("querylore.key", "sk-never-in-a-file"));
  await app.open({ model: { address: "http://127.0.0.1:9", headers: "X-Team: never-in-a-file", keep_key: true } });
  await app.question.fill(PIERS);
  await page.getByRole("button", { name: /^Ask/ }).click();
  await app.knowledge.getByRole("listitem").first().getByRole("button").click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await inspector.getByRole("button", { name: "Hide", exact: true }).click();
  await page.keyboard.press("Escape");
  const { name, bytes } = await exported(page, true);
  expect(name).toBe("Norhaven Ferries.querylore");
  expect(bytes.length).toBeGreaterThan(norhaven.length);
  expect(bytes.includes("never-in-a-file")).toBe(false);

  await app.openFile(file(name, bytes));
  await kept(page);
  await expect(open(page)).toHaveText("Norhaven Ferries");
  await expect(app.rail.getByText(/Indexed, \d+ vectors/)).toBeVisible();
  await page.reload();
  await app.ready();
  await expect(app.rail.getByText(/Indexed, \d+ vectors/)).toBeVisible();
  await app.menu("Rename");
  await page.getByRole("dialog", { name: "Rename" }).getByRole("textbox").fill("Fähren: Hafen");
  await page.getByRole("dialog", { name: "Rename" }).getByRole("button", { name: "Rename" }).click();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await page.getByRole("checkbox", { name: /Hidden or edited/ }).check();
  await expect(page.getByRole("table", { name: "Items" }).getByText("hidden", { exact: true })).toBeVisible();
  expect(fetched.filter((url) => url.includes("embedder") || url.includes("models/"))).toEqual([]);

  // A second one of the same name gets a number, and a name that no file can have is changed.
  await page.getByRole("link", { name: "Ask" }).first().click();
  const again = await exported(page, true);
  expect(again.name).toBe("Fähren- Hafen.querylore");
  await app.openFile(file("anything.zip", again.bytes));
  await expect(open(page)).toHaveText("Fähren: Hafen 2");
});

test("without its database a workspace asks for it", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const { name, bytes } = await exported(page, false);
  expect(bytes.includes("SQLite format 3")).toBe(false);
  await app.openFile(file(name, bytes));
  const dialog = page.getByRole("dialog", { name: "Open the database of “Norhaven Ferries”" });
  await expect(dialog.getByText(/134 queries and 263 items, without its database/)).toBeVisible();
  // Closed, it leaves nothing behind.
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.reload();
  await app.ready();
  await open(page).click();
  await expect(page.getByRole("menuitemradio")).toHaveCount(1);
  await page.keyboard.press("Escape");

  await app.openFile(file(name, bytes));
  let chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose a file" }).click();
  await (await chooser).setFiles(file("notes.db", Buffer.from("Not a database.\n".repeat(50))));
  await expect(dialog.getByRole("alert")).toContainText("not a SQLite database");
  chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose a file" }).click();
  await (await chooser).setFiles(file("other.db", longer));
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/not the database that the history was exported with/)).toBeVisible();
  await expect(app.rail.getByText(/Indexed, \d+ vectors/)).toBeVisible();

  await app.menu(/demo/);
  await expect(app.rail.getByText("134 queries", { exact: true })).toBeVisible();
  await app.openFile(file(name, bytes));
  await dialog.getByRole("button", { name: "Use “Norhaven Ferries”, which is open" }).click();
  await expect(open(page)).toHaveText("Norhaven Ferries 2");
  await expect(page.getByText(/not the database that the history/)).toBeHidden();
});

test("what is no workspace, or a damaged one, is refused and changes nothing", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const { bytes } = await exported(page, true);
  const changed = Buffer.from(bytes);
  changed[bytes.indexOf("SQLite format 3") + 60_000] ^= 255;
  const bad: [string, Buffer, RegExp][] = [
    ["empty.zip", Buffer.from("504b0506" + "00".repeat(18), "hex"), /not a workspace of Querylore/],
    ["cut.querylore", bytes.subarray(0, bytes.length - 40), /damaged/],
    ["half.querylore", bytes.subarray(0, 100_000), /damaged/],
    ["changed.querylore", changed, /database has changed/],
    ["words.querylore", Buffer.from("nothing of the kind"), /damaged/],
  ];
  for (const [name, content, words] of bad) {
    await app.openFile(file(name, content));
    const notice = page.getByRole("alert").filter({ hasText: name });
    await expect(notice).toContainText(words);
    await expect(notice).toContainText("Nothing was changed");
  }
  await expect(app.rail.getByText("10 tables")).toBeVisible();
  await open(page).click();
  await expect(page.getByRole("menuitemradio")).toHaveCount(1);
});

test("a full storage keeps nothing of an import, which lives until the tab closes", async ({ page, context }) => {
  const app = new App(page);
  await app.open();
  const { name, bytes } = await exported(page, true);
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin, quotaSize: 900_000 });
  await app.openFile(file(name, bytes));
  await expect(page.getByText(/storage is full/).first()).toBeVisible();
  await expect(app.rail.getByText(/Indexed, \d+ vectors/)).toBeVisible();
  const left = await page.evaluate(async () => {
    const names: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
    return names;
  });
  expect(left.filter((name) => name.startsWith("workspace-"))).toEqual([]);
  await page.reload();
  await app.ready();
  await open(page).click();
  await expect(page.getByRole("menuitemradio")).toHaveCount(1);
});

test("a private window opens a workspace until the tab closes", async ({ page }) => {
  await page.addInitScript(() => {
    navigator.storage.getDirectory = () => Promise.reject(new DOMException("not here", "SecurityError"));
  });
  const app = new App(page);
  await app.open();
  const { name, bytes } = await exported(page, true);
  await app.openFile(file(name, bytes));
  await expect(page.getByText(/until the tab closes/).first()).toBeVisible();
  await expect(app.rail.getByText(/Indexed, \d+ vectors/)).toBeVisible();
});

test("two tabs that open workspaces keep both", async ({ page, context }) => {
  const app = new App(page);
  await app.open();
  const { name, bytes } = await exported(page, true);
  const other = await context.newPage();
  await other.goto("/");
  await new App(other).ready();
  await app.openFile(file("one.sqlite", norhaven));
  await expect(open(page)).toHaveText("one");
  await new App(other).openFile(file(name, bytes));
  await kept(other);
  await expect(other.getByText(/open in another tab/)).toBeHidden();
  await other.reload();
  await new App(other).ready();
  await open(other).click();
  await expect(other.getByRole("menuitemradio", { name: /^one/ })).toBeVisible();
  await expect(other.getByRole("menuitemradio")).toHaveCount(3);
});

test("the keyboard alone exports", async ({ page }) => {
  await new App(page).open();
  await open(page).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("e");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: /^Export / });
  await expect(dialog).toBeVisible();
  await dialog.getByRole("checkbox").focus();
  await page.keyboard.press("Space");
  await expect(dialog.getByText(/is asked for the database/)).toBeVisible();
  await page.keyboard.press("Tab");
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await download).suggestedFilename()).toBe("Norhaven Ferries.querylore");
});
