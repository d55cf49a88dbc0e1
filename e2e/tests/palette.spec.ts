import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const field = (app: App) => app.palette.getByRole("combobox");
const options = (app: App) => app.palette.getByRole("option");
const chosen = (app: App) => app.palette.getByRole("option", { selected: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("data-row") ?? document.activeElement?.textContent ?? "");

test("the palette opens by its key and its button, moves by arrows, and gives the focus back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.question.focus();
  await app.question.press("Control+k");
  await expect(field(app)).toBeFocused();
  // The pages stand first; the list says how many others there are.
  await expect(options(app).first()).toContainText("Ask");
  await expect(app.palette.getByText(/^\d+ more\. Type to find them\.$/)).toBeVisible();
  const count = await options(app).count();
  expect(count).toBeGreaterThan(6);
  await expect(chosen(app)).toContainText("Ask");
  const active = () => field(app).getAttribute("aria-activedescendant");
  expect(await active()).toBe(await options(app).first().getAttribute("id"));
  await page.keyboard.press("ArrowDown");
  await expect(chosen(app)).toContainText("Knowledge");
  await page.keyboard.press("End");
  expect(await active()).toBe(await options(app).last().getAttribute("id"));
  await page.keyboard.press("ArrowDown");
  expect(await active()).toBe(await options(app).first().getAttribute("id"));
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  await expect(chosen(app)).toHaveCount(1);
  await expect(chosen(app)).toContainText("Ask");
  await expect(field(app)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(app.palette).toBeHidden();
  await expect(app.question).toBeFocused();
  const button = page.getByRole("button", { name: "Find anything" });
  await button.click();
  await expect(field(app)).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(app.palette).toBeHidden();
  await expect(button).toBeFocused();
  // A click beside it closes it, too.
  await button.click();
  await page.mouse.click(5, 850);
  await expect(app.palette).toBeHidden();
});

test("tables, columns, items and questions are found and shown", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.find("sailin");
  await expect(chosen(app)).toContainText("sailings");
  await expect(chosen(app).locator("mark")).toHaveText("sailin");
  await page.keyboard.press("Enter");
  await expect(app.palette).toBeHidden();
  await expect.poll(() => focused(page)).toBe("sailings");
  await app.find("sailings.state");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("sailings\u001fstate");
  await expect(page.getByRole("treeitem", { name: /^state/ })).toBeFocused();
  // From another page, and from a tree that is filtered.
  await page.evaluate(() => (location.hash = "#/settings"));
  await app.find("vessels table");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#\/ask$/);
  await expect.poll(() => focused(page)).toBe("vessels");
  // An item by words of its skeleton.
  await app.find("item between");
  const option = options(app).filter({ hasText: "BETWEEN" }).first();
  await expect(option.locator("mark").first()).toHaveText(/between/i);
  await option.click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await expect(inspector).toBeVisible();
  await expect(inspector.getByRole("heading", { level: 2 }).first()).toBeFocused();
  // An example question is asked.
  await app.find("crowded sailings");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/Adapted from query #\d+/)).toBeVisible();
  await expect(app.question).toHaveValue(/crowded sailings/);
  // Now it is one that was asked before, and what was chosen stands first.
  await page.keyboard.press("Control+k");
  await expect(options(app).nth(1)).toContainText(/item/i);
  await field(app).fill("crowded");
  await expect(chosen(app)).toContainText("asked before");
});

test("nothing is found, and it is said", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.find("zzqx");
  await expect(app.palette.getByText("Nothing here is called “zzqx”.")).toBeVisible();
  await expect(app.palette.getByRole("status")).toHaveText("Nothing found.");
  await expect(options(app)).toHaveCount(0);
  expect(await field(app).getAttribute("aria-activedescendant")).toBeNull();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(app.palette).toBeVisible();
});

test("actions are done, and those that cannot be say why", async ({ page }) => {
  const app = new App(page);
  await app.open({ theme: "Light" });
  await app.find("dark");
  await expect(chosen(app)).toContainText("Switch between light and dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await app.find("shortcuts");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Keys" }).getByText("Ctrl K")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeHidden();
  await app.find("prompt");
  await expect(chosen(app)).toContainText("No model was asked.");
  await expect(chosen(app)).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Enter");
  await expect(app.palette).toBeVisible();
  await field(app).fill("export");
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await download).suggestedFilename()).toBe("knowledge.json");
  await app.find("settings: stor");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Storage" })).toBeFocused();
});

test("databases and histories are opened, and workspaces changed", async ({ page }) => {
  const app = new App(page);
  await app.open({ encoder: "tiny" });
  let chooser = page.waitForEvent("filechooser");
  await app.find("open a database file");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  chooser = page.waitForEvent("filechooser");
  await app.find("add a hist");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles({ name: "team.sql", mimeType: "text/plain", buffer: Buffer.from("SELECT name FROM vessels;") });
  await page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed/)).toBeVisible({ timeout: 60_000 });
  await app.find("norhaven");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("Norhaven Ferries");
  await app.find("ferries");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  await app.find("from an address");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Open a database or a workspace from an address" }).getByRole("textbox")).toBeFocused();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("the button opens it, and a column is shown in the sheet", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await page.getByRole("button", { name: "Find anything" }).tap();
    await expect(field(app)).toBeFocused();
    await field(app).fill("dep_delay");
    const first = options(app).first();
    await expect(first).toContainText("dep_delay");
    expect((await first.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    // Nothing stands beside the window.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await first.tap();
    await expect(app.rail).toBeVisible();
    await expect.poll(() => focused(page)).toMatch(/dep_delay/);
    await app.rail.getByRole("button", { name: "Close" }).tap();
    await page.getByRole("button", { name: "Find anything" }).tap();
    await app.palette.getByRole("button", { name: "Close" }).tap();
    await expect(app.palette).toBeHidden();
  });
});
