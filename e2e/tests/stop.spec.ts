import { test } from "./fixtures";
import { stopsAndGoesOn } from "./stop";

test("an endless query stops, with isolation", async ({ page }) => {
  await stopsAndGoesOn(page);
});
