import { expect, test } from "./fixtures";
import { stopsAndGoesOn } from "./stop";

test("an endless query stops on a host without isolation headers", async ({ page }) => {
  await stopsAndGoesOn(page);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
});
