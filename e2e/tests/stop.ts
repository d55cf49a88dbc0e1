import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect } from "./fixtures";

const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";

/** Stops an endless query: back within 300 ms, and the database still answers. */
export async function stopsAndGoesOn(page: Page) {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql(ENDLESS);
  const stop = page.getByRole("button", { name: /^Stop/ });
  await expect(stop).toBeVisible();
  // Measured in the page: the time of the test's own messages is not the user's.
  const took = await stop.evaluate(
    (button: HTMLElement) =>
      new Promise<number>((resolve) => {
        const start = performance.now();
        const watch = new MutationObserver(() => {
          if (document.body.textContent?.includes("Stopped.")) {
            watch.disconnect();
            resolve(performance.now() - start);
          }
        });
        watch.observe(document.body, { childList: true, subtree: true, characterData: true });
        button.click();
      }),
  );
  expect(took).toBeLessThan(300);
  await app.runSql("SELECT COUNT(*) AS piers FROM piers");
  await expect(app.rows.getByText("19", { exact: true })).toBeVisible();
}
