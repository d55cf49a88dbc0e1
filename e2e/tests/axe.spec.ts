import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { walks } from "../pages/states";
import { expect, test } from "./fixtures";
import { modelServer } from "./model_server";

const QUESTION = "On-time rate by month on the Harbour Loop in fiscal 2024";

/** Fails on anything axe finds, with the rule, the element and what axe says about it. */
async function accessible(page: Page, where: string) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
  expect.soft(found, where).toEqual([]);
}

const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const theme of ["light", "dark"] as const) {
  for (const [name, width, height] of [["a desktop", 1440, 900], ["a tablet", 820, 1100], ["a phone", 390, 844]] as const) {
    test(`every page is accessible in ${theme} on ${name}`, async ({ page }) => {
      test.slow();
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const app = new App(page);
      await app.open();
      await accessible(page, "Ask, nothing asked");
      await app.ask(QUESTION);
      await expect(app.rows.getByRole("grid")).toBeVisible();
      await accessible(page, "Ask, answered");
      await app.knowledge.getByRole("listitem").getByRole("button").first().click();
      await expect(page.getByRole("complementary", { name: "Item" })).toBeVisible();
      await accessible(page, "Ask, an item");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
      await accessible(page, "Keys");
      await page.keyboard.press("Escape");
      for (const hash of ["#/knowledge", "#/lab", "#/settings", "#/diagnostics", "#/bench"]) {
        await page.evaluate((h) => (location.hash = h), hash);
        await expect(page.getByRole("main").getByRole("heading").first()).toBeAttached();
        await accessible(page, hash);
        expect.soft(await sideways(page), `${hash} scrolls sideways`).toBe(0);
      }
    });
  }
}

test.describe("dialogs, menus and errors", () => {
  // Some of them are about what cannot be had.
  test.use({ allowedErrors: [/Failed to load resource|ERR_|CORS policy/] });

  // Colours and layout do not depend on each other, so two of the four are walked.
  for (const [theme, where, width, height] of [["light", "a desktop", 1440, 900], ["dark", "a phone", 390, 844]] as const) {
    for (const [name, walk] of Object.entries(walks)) {
      test(`are accessible while ${name} in ${theme} on ${where}`, async ({ page }) => {
        test.setTimeout(300_000);
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        const served = await modelServer();
        const look = async (state: string) => {
          await accessible(page, state);
          expect.soft(await sideways(page), `${state} scrolls sideways`).toBe(0);
        };
        try {
          await walk(page, look, served.url);
        } finally {
          await served.close();
        }
      });
    }
  }
});
