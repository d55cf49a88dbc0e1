import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";
import { modelServer } from "./model_server";

const QUESTION = "On-time rate by month on the Harbour Loop in fiscal 2024";
const region = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest(".bar, .rail, main, .inspector")?.className || document.activeElement?.id);

test("the list of keys opens, and its pages are one g away", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keys" });
  await expect(list.getByText("Filter the list in view")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  for (const [key, name] of [["k", "Knowledge"], ["s", "Settings"], ["a", "Ask"]] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await expect(page.getByRole("main").getByRole("heading", { name, level: 1 })).toBeAttached();
    await expect(page.getByRole("main")).toBeFocused();
    await expect(page).toHaveTitle(`${name} · Querylore`);
  }
  // After a while the letter is on its own again.
  await page.keyboard.press("g");
  await page.waitForTimeout(1700);
  await page.keyboard.press("k");
  await expect(page).toHaveURL(/#\/ask$/);
});

test("/ comes to the search, Esc clears it and then leaves it, and letters are letters there", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (const [hash, name] of [["#/ask", "Find a table, column or value"], ["#/knowledge", "Search"]] as const) {
    await page.evaluate((h) => (location.hash = h), hash);
    const search = page.getByRole("searchbox", { name });
    await expect(search).toBeVisible();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await page.keyboard.type("gk?je/c");
    await expect(search).toHaveValue("gk?je/c");
    await expect(page).toHaveURL(new RegExp(hash));
    await page.keyboard.press("Escape");
    await expect(search).toHaveValue("");
    await expect(search).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(search).not.toBeFocused();
  }
});

test("the table of items is one stop of Tab with arrows, j and k", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  const table = page.getByRole("table", { name: "Items" });
  const head = table.getByRole("button", { expanded: true }).first();
  await page.keyboard.press("j");
  await expect(head).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(table.getByRole("button", { expanded: false })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(head).toBeFocused();
  // Head, "Show all", then the items.
  for (const key of ["j", "ArrowDown", "j"]) await page.keyboard.press(key);
  const second = table.locator("[data-item]").nth(1);
  await expect(second).toBeFocused();
  await page.keyboard.press("k");
  await expect(table.locator("[data-item]").first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const inspector = page.getByRole("complementary", { name: "Item" });
  const title = inspector.getByRole("heading", { level: 2 }).first();
  const before = await title.textContent();
  // The open inspector follows.
  await page.keyboard.press("j");
  await expect(title).not.toHaveText(before ?? "");
  await page.keyboard.press("Escape");
  await expect(inspector).toHaveCount(0);
  const third = table.locator("[data-item]").nth(2);
  await expect(third).toBeFocused();
  // Tab leaves the table in one step and comes back to the same row.
  await page.keyboard.press("Shift+Tab");
  await expect(page.getByRole("radio", { name: "Type" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(third).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(head).toBeFocused();
  await page.keyboard.press("End");
  await expect(table.locator("[data-stop]").last()).toBeFocused();
});

test("F6 goes round bar, left column, centre and inspector", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await expect(page.getByRole("main")).toBeFocused();
  await page.getByRole("table", { name: "Items" }).locator("[data-item]").first().click();
  await expect(page.getByRole("complementary", { name: "Item" })).toBeVisible();
  const round = ["inspector", "bar", "rail", "main", "inspector"];
  for (const name of round) {
    await page.keyboard.press("F6");
    expect(await region(page)).toContain(name);
  }
  for (const name of ["main", "rail", "bar", "inspector"]) {
    await page.keyboard.press("Shift+F6");
    expect(await region(page)).toContain(name);
  }
  // Esc from inside the inspector goes back to the row.
  await page.keyboard.press("Escape");
  await expect(page.getByRole("table", { name: "Items" }).locator("[data-item]").first()).toBeFocused();
});

test("the theme is one stop of Tab, and single keys can be switched off", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.evaluate(() => (location.hash = "#/settings/appearance"));
  await expect(page.getByRole("heading", { name: "Appearance" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("radio", { name: "System" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Light" })).toBeFocused();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.keyboard.press("Tab");
  const single = page.getByRole("checkbox", { name: "Single keys are shortcuts" });
  await expect(single).toBeFocused();
  await page.keyboard.press("Space");
  await expect(single).not.toBeChecked();
  await page.keyboard.press("?");
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(/settings/);
  // Keys that are no letters work on.
  await page.keyboard.press("F6");
  expect(await region(page)).toContain("bar");
});

test("an answer is asked, stepped through, edited and compared by keyboard", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(QUESTION);
  await expect(app.rows.getByRole("heading", { name: "12 rows" })).toBeVisible();
  await page.getByRole("main").focus();
  await page.keyboard.press("j");
  const pressed = app.knowledge.getByRole("button", { pressed: true });
  await expect(pressed).toHaveCount(1);
  const first = await pressed.getAttribute("data-item");
  await page.keyboard.press("j");
  await expect(pressed).not.toHaveAttribute("data-item", first ?? "");
  await page.keyboard.press("k");
  await expect(pressed).toHaveAttribute("data-item", first ?? "");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "Item" })).toHaveCount(0);
  await page.keyboard.press("e");
  const editor = app.sql.getByRole("textbox", { name: "SQL" });
  await expect(editor).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(app.sql.getByRole("button", { name: "Edit" })).toBeFocused();
  await page.keyboard.press("e");
  await editor.fill("SELECT 1 AS one");
  await page.keyboard.press("Control+Enter");
  await expect(app.rows.getByRole("heading", { name: "1 row", exact: true })).toBeVisible();
  await page.getByRole("combobox", { name: "Gold" }).selectOption({ index: 3 });
  await expect(app.score.getByText(/^(Equal|Different)$/)).toBeVisible();
  await page.getByRole("main").focus();
  await page.keyboard.press("c");
  await expect(page.getByRole("radio", { name: "Against gold" })).toBeChecked();
  await page.keyboard.press("c");
  await expect(page.getByRole("radio", { name: "Rows" })).toBeChecked();
});

test("the tree of tables moves by arrows, unfolds and folds", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const row = () => page.evaluate(() => document.activeElement?.getAttribute("data-row")?.replace("\u001f", ".") ?? "");
  await page.keyboard.press("/");
  await page.keyboard.press("Tab");
  const first = await row();
  expect(first).not.toBe("");
  await page.keyboard.press("ArrowDown");
  const second = await row();
  expect(second).not.toBe(first);
  await page.keyboard.press("ArrowUp");
  expect(await row()).toBe(first);
  const table = page.getByRole("treeitem").first();
  await expect(table).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowRight");
  await expect(table).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowRight");
  await expect.poll(row).toMatch(new RegExp(`^${first}\\.`));
  await page.keyboard.press("ArrowLeft");
  expect(await row()).toBe(first);
  await page.keyboard.press("ArrowLeft");
  await expect(table).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("Enter");
  await expect(table).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("End");
  const last = await row();
  await page.keyboard.press("Home");
  expect(await row()).toBe(first);
  expect(last).not.toBe(first);
  // The tree is one stop of Tab, and it remembers its row.
  await page.keyboard.press("ArrowDown");
  const kept = await row();
  await page.keyboard.press("Tab");
  expect(await row()).toBe("");
  await page.keyboard.press("Shift+Tab");
  expect(await row()).toBe(kept);
});

test("the rows move by arrows, j and k, and open their values", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(QUESTION);
  const grid = app.rows.getByRole("grid");
  await expect(grid).toBeVisible();
  await grid.focus();
  const at = async () => ((await grid.getAttribute("aria-activedescendant")) ?? "").split("-").slice(-2).map(Number);
  await page.keyboard.press("Control+Home");
  expect(await at()).toEqual([1, 0]);
  for (const [key, place] of [["ArrowDown", [2, 0]], ["ArrowRight", [2, 1]], ["j", [3, 1]], ["j", [4, 1]], ["k", [3, 1]], ["ArrowUp", [2, 1]], ["Home", [2, 0]]] as const) {
    await page.keyboard.press(key);
    // j and k move with the next frame.
    await expect.poll(at, { message: key }).toEqual([...place]);
  }
  // They move in the rows only: no item was chosen, and g then k still leads to Knowledge.
  await expect(page.getByRole("complementary", { name: "Item" })).toHaveCount(0);
  await page.keyboard.press("Control+End");
  const [last] = await at();
  expect(last).toBe(12);
  await page.keyboard.press("Enter");
  const value = page.getByRole("dialog");
  await expect(value).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(value).toBeHidden();
  await expect(grid).toBeFocused();
  // v draws them, and v brings the rows back.
  await page.keyboard.press("v");
  await expect(app.rows.getByRole("radio", { name: "Chart" })).toBeChecked();
  await page.getByRole("main").focus();
  await page.keyboard.press("v");
  await expect(grid).toBeVisible();
  await grid.focus();
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page).toHaveURL(/#\/knowledge$/);
});

test("d hides the open item and retrieves it again, Ctrl Z takes it back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  const item = page.getByRole("table", { name: "Items" }).locator("[data-item]").first();
  // Without an open item there is nothing to hide.
  await expect(item).toBeVisible();
  await page.keyboard.press("d");
  await item.focus();
  await page.keyboard.press("Enter");
  const inspector = page.getByRole("complementary", { name: "Item" });
  await expect(inspector.getByRole("button", { name: "Hide", exact: true })).toBeVisible();
  await page.keyboard.press("d");
  await expect(inspector.getByText("hidden, not retrieved")).toBeVisible();
  await expect(inspector.getByRole("heading", { level: 2 }).first()).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(inspector.getByText("hidden, not retrieved")).toBeHidden();
  await page.keyboard.press("d");
  await expect(inspector.getByText("hidden, not retrieved")).toBeVisible();
  await page.keyboard.press("d");
  await expect(inspector.getByText("hidden, not retrieved")).toBeHidden();
});

test("t tests the model in Settings, and . reads the prompt of its answer", async ({ page }) => {
  const served = await modelServer();
  try {
    const app = new App(page);
    await app.open({ model: { address: served.url, way: "Direct", ask: { model: "good" } } });
    // Neither does anything where there is nothing to test or to read.
    await page.getByRole("main").focus();
    await page.keyboard.press("t");
    await page.keyboard.press(".");
    await expect(page.getByRole("complementary", { name: "Prompt" })).toHaveCount(0);
    expect(served.requests).toHaveLength(0);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await expect(page.getByRole("main")).toBeFocused();
    await page.evaluate(() => (location.hash = "#/settings/model"));
    await expect(page.getByRole("heading", { name: "Model", exact: true })).toBeFocused();
    await page.keyboard.press("t");
    await expect(page.getByText(/Works\. Answered in/).first()).toBeVisible();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await expect(page).toHaveURL(/#\/ask$/);
    await app.ask("How many crowded sailings did each route have in August 2024?");
    await expect(page.getByText("Answered by good.")).toBeVisible();
    // The focus stays in the question while an answer arrives.
    await expect(app.question).toBeFocused();
    await page.getByRole("main").focus();
    await page.keyboard.press(".");
    const prompt = page.getByRole("complementary", { name: "Prompt" });
    await expect(prompt.getByText("Rules and question")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(prompt).toBeHidden();
  } finally {
    await served.close();
  }
});

test("gold is compared by Ctrl Enter, Esc leaves it, and the focus comes back", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(QUESTION);
  await expect(app.rows.getByRole("grid")).toBeVisible();
  const gold = page.getByRole("combobox", { name: "Gold" });
  await gold.focus();
  await gold.selectOption("sql");
  const dialog = page.getByRole("dialog", { name: "Gold SQL" });
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(gold).toBeFocused();
  await gold.selectOption("sql");
  await dialog.getByRole("textbox").fill("SELECT 1");
  await page.keyboard.press("Control+Enter");
  await expect(dialog).toBeHidden();
  await expect(app.score.getByText("Different", { exact: true })).toBeVisible();
});

test("F6 goes round on Ask and in Settings, and the first link skips the bar", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (const [hash, round] of [["#/ask", ["bar", "rail", "main", "bar"]], ["#/settings", ["bar", "rail", "main", "bar"]], ["#/diagnostics", ["bar", "main", "bar"]]] as const) {
    await page.evaluate((h) => (location.hash = h), hash);
    await expect(page).toHaveURL(new RegExp(`${hash}$`));
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    for (const name of round) {
      await page.keyboard.press("F6");
      expect(await region(page), hash).toContain(name);
    }
  }
  await page.evaluate(() => (location.hash = "#/knowledge"));
  await expect(page.getByRole("main")).toBeFocused();
  const skip = page.getByRole("link", { name: "Skip to the content" });
  await skip.focus();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(page).toHaveURL(/#\/knowledge$/);
});

test("keys of pages that are not there yet do nothing, and the list does not name them", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("main").focus();
  for (const key of ["b", "n"]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
  }
  await page.keyboard.press("p");
  await expect(page).toHaveTitle("Ask · Querylore");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keys" });
  await expect(list.getByText("Go to Ask, Knowledge, Lab, Settings")).toBeVisible();
  await expect(list.getByText(/Leaderboard|Learn|[Pp]in/)).toHaveCount(0);
});
