import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

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
